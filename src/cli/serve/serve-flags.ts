/** The flags of `svc serve` in the form of its help. `#server` checks their values when it reads them. */

import { Option } from '@commander-js/extra-typings';
import { storeOptions } from '#server';

type Flags = readonly (readonly [flag: string, description: string])[];

const networkFlags: Flags = [
  [
    '--addr <host:port>',
    'address to listen on: all addresses of the host name; `:port` for all interfaces, IPv4 and IPv6 (default 127.0.0.1:7237)',
  ],
  [
    '--tls-cert <file...>',
    'PEM certificate chain of the server, which then accepts only TLS; repeat it with --tls-key for further server names: the names in the certificate select it, the first one is the default (default plain HTTP)',
  ],
  [
    '--tls-key <file...>',
    'PEM private key of each --tls-cert, in the same order; other users must not be able to read the file',
  ],
  ['--tls-min-version <1.2|1.3>', 'oldest version of TLS that the server accepts (default 1.2)'],
  [
    '--tls-client-ca <file>',
    'PEM file of certificate authorities; only clients with a certificate of one of them can connect (default every client)',
  ],
  [
    '--tls-client-crl <file>',
    'PEM file of the certificate revocation lists of all these authorities (default none)',
  ],
  [
    '--insecure [true|false]',
    'start although other machines can reach the address and every client may read and change all data (default false)',
  ],
  [
    '--behind-tls-proxy [true|false]',
    'clients reach the server only through a proxy that accepts TLS (default false)',
  ],
  [
    '--trusted-proxy <cidr...>',
    'addresses of proxies: X-Forwarded-For of their requests contains the address of the client; with --behind-tls-proxy, other addresses can reach only the probes (default none)',
  ],
  [
    '--cors-origin <origin...>',
    'origins of web pages that may send requests; with --auth, * means all of them (default none)',
  ],
  [
    '--allowed-host <host...>',
    'with --auth: host names by which clients may address the server; probes may use any name (default all)',
  ],
  [
    '--keep-alive-timeout-ms <n>',
    'time without a request after which the server closes a connection (default 75000)',
  ],
  [
    '--admin-addr <host:port>',
    'address of the admin listener, on loopback: through it, an operator erases the recorded programs of a writer; a reader rejects these requests with 409 (default the next port on a writer with --capture-workload-corpus, else none)',
  ],
];

const authenticationFlags: Flags = [
  [
    '--auth <none|keys|jwt...>',
    'how clients are identified: none, API keys of the database (svc key), tokens of an issuer (JWT), or both (default none)',
  ],
  [
    '--auth-bootstrap-key-file <file>',
    'file with an API key of `svc key generate`; if the database never had a key, this becomes its first one, with the scope admin',
  ],
  [
    '--rate-limit <n>',
    'requests per second of each token, and of each API key without the limit `rate`; twice as many may arrive at once (default none)',
  ],
  ['--auth-issuer <issuer>', 'issuer of the tokens, as their claim iss; required with jwt'],
  ['--auth-audience <audience>', 'audience of the tokens, as their claim aud; required with jwt'],
  ['--auth-jwks-file <file>', 'file with the key set of the issuer (JWKS)'],
  [
    '--auth-jwks-url <url>',
    'https URL of the key set of the issuer (default the URL in the metadata of the issuer)',
  ],
  [
    '--auth-profile <rfc9068|compatible>',
    'form of the tokens: access tokens of RFC 9068, or also others (default rfc9068)',
  ],
  [
    '--auth-algorithms <name...>',
    'algorithms of signatures: RS256, ES256, EdDSA (default all of them)',
  ],
  ['--auth-query-scopes <name...>', 'scopes of a token that mean read (default svc:read)'],
  ['--auth-mutate-scopes <name...>', 'scopes of a token that mean write (default svc:write)'],
  ['--auth-catalog-scopes <name...>', 'scopes of a token that mean schema (default svc:schema)'],
  ['--auth-metrics-scopes <name...>', 'scopes of a token that mean metrics (default svc:metrics)'],
  ['--auth-admin-scopes <name...>', 'scopes of a token that mean admin (default svc:admin)'],
  [
    '--auth-grants-claim <name>',
    'claim of a token that restricts it to tables, as a list of table:actions (default svc_grants)',
  ],
];

const postgresFlags: Flags = [
  [
    '--frontend <none|postgres>',
    'further protocol by which clients can send SQL: that of PostgreSQL (default none)',
  ],
  [
    '--postgres-addr <host:port>',
    'address of the PostgreSQL listener, on loopback (default 127.0.0.1:5432)',
  ],
  [
    '--postgres-auth <trust|token>',
    'trust: every client may connect; token: the password of a client is an API key or a token, only with --auth (default token with --auth, else trust)',
  ],
  [
    '--postgres-max-connections <n>',
    'maximum number of connections of the PostgreSQL listener (default 5000)',
  ],
  [
    '--postgres-max-message-mib <n>',
    'maximum size of a message, and so of a statement with its parameters (default 64)',
  ],
  [
    '--postgres-transaction-timeout-ms <n>',
    'maximum duration of a transaction; 0 for no limit (default 300000)',
  ],
  [
    '--postgres-idle-transaction-timeout-ms <n>',
    'maximum time of a transaction between two statements; 0 for no limit (default 60000)',
  ],
  [
    '--postgres-send-timeout-ms <n>',
    'time after which the server disconnects a client that does not read its results; 0 for no limit (default 60000)',
  ],
];

const auditFlags: Flags = [
  [
    '--audit-log <file|stderr|off>',
    'file of the audit log, one JSON object per line; stderr: the log of the server (default off)',
  ],
  [
    '--audit-level <auth|write|all>',
    'auth: invalid tokens, missing permissions, changes of keys and of the schema; write: also programs that write; all: all programs (default auth)',
  ],
];

/** Flags of the storage location. */
const placeFlags: Flags = [
  [
    '--storage <file|memory|s3>',
    'storage backend: a local directory, memory or an S3 bucket (default file)',
  ],
  ['--storage-path <directory>', 'directory of a file store (default svc.data)'],
  ['--s3-bucket <name>', 'bucket of an S3 store'],
  ['--s3-prefix <prefix>', 'prefix of all object names in the bucket (default svc)'],
  ['--s3-region <region>', 'region of the bucket (default AWS_REGION)'],
  [
    '--s3-endpoint <url>',
    'URL of an S3-compatible server other than AWS; requests use path-style addressing',
  ],
  [
    '--s3-insecure [true|false]',
    'permit an http:// URL of another machine in --s3-endpoint: data travels unencrypted (default false)',
  ],
  [
    '--s3-credentials-file <file>',
    'file with the credentials of the bucket in the format of the AWS tools, section AWS_PROFILE or default, which is read again after each change (default the variables below)',
  ],
];

const permissionFlags: Flags = [
  [
    '--storage-group [true|false]',
    'let the group of the directory read and write its files, for readers that run as another user (default false)',
  ],
];

const databaseFlags: Flags = [
  [
    '--catalog-mode <direct|schema>',
    'direct: programs, the catalog API and migrations change the schema; schema: only migrations do; fixed when the database is created (default direct)',
  ],
  [
    '--capture-workload-corpus [true|false]',
    'keep executed programs in the store of the writer, with their literals (default false)',
  ],
];

const readerFlags: Flags = [
  [
    '--role <write|read>',
    'write: read and write the store; read: serve reads of a store that another process writes (default write)',
  ],
  [
    '--reader-poll-interval-ms <n>',
    'interval at which a reader checks for a newer state (default 1000)',
  ],
  [
    '--internal-addr <host:port>',
    'address on which a writer receives execution statistics from its readers (default none)',
  ],
  [
    '--relay-target <url>',
    "URL of the writer's --internal-addr, to which a reader sends its execution statistics (default none)",
  ],
  [
    '--relay-token-file <file>',
    'file with the token, 32 bytes or more, that the writer and its readers share',
  ],
  [
    '--relay-ca <file>',
    'PEM file of the certificate authorities that a reader trusts for --relay-target (default those of the operating system)',
  ],
  [
    '--relay-cert <file>',
    'PEM certificate by which a reader identifies itself to a writer with --internal-tls-client-ca (default none)',
  ],
  ['--relay-key <file>', 'PEM private key of that certificate'],
  [
    '--internal-tls-cert <file...>',
    'PEM certificate of the internal listener, which then uses TLS, as --tls-cert (default plain HTTP)',
  ],
  [
    '--internal-tls-key <file...>',
    'PEM private key of that certificate; other users must not be able to read the file',
  ],
  [
    '--internal-tls-min-version <1.2|1.3>',
    'oldest version of TLS that the internal listener accepts (default 1.2)',
  ],
  [
    '--internal-tls-client-ca <file>',
    'PEM file of the certificate authorities whose clients can connect to the internal listener (default every client)',
  ],
  [
    '--internal-tls-client-crl <file>',
    'PEM file of the certificate revocation lists of these authorities (default none)',
  ],
];

const observability: Flags = [
  ['--log-level <error|warn|info|debug>', 'least severe level that is logged (default info)'],
  ['--log-format <text|json|logfmt>', 'format of log lines (default text)'],
  ['--log-programs [true|false]', 'log one line for each program (default false)'],
  [
    '--slow-ms <n>',
    'log a warning for each program that takes at least this long, with its statements but without literals (default 500; 0 = off)',
  ],
  [
    '--otel-endpoint <url>',
    'collector that receives traces and metrics by OTLP over HTTP (default none)',
  ],
  [
    '--instance-id <name>',
    'name of this process in telemetry and in relayed statistics (default HOSTNAME, else svc)',
  ],
  [
    '--diagnostics <off|summary|detailed|full>',
    'highest level of execution details that a request may ask for (default detailed on a loopback address, else summary)',
  ],
  ['--metrics <true|false>', 'serve GET /metrics (default true)'],
];

const limits: Flags = [
  [
    '--statement-timeout-ms <n>',
    'time limit of a request, from its arrival (default 60000; 0 = no limit)',
  ],
  [
    '--drain-timeout-ms <n>',
    'time for running requests to finish on shutdown (default 30000; 0 = no limit)',
  ],
  [
    '--memory-mib <n>',
    'memory limit of all programs together (default 1024, or 40 % of the available memory if that is less)',
  ],
  ['--program-memory-mib <n>', 'memory limit of one program (default 256)'],
  [
    '--spill-path <directory|off>',
    'directory for spill files of programs that exceed their memory; off = these programs fail (default tmp/spill in --storage-path, or the temporary directory of the system)',
  ],
  [
    '--spill-limit-mib <n>',
    'maximum size of the spill files of all programs (default a quarter of the free space)',
  ],
  ['--max-result-mib <n>', 'maximum size of an encoded response (default 64)'],
  [
    '--relation-cache-size-mib <n>',
    'memory for cached results; a result is valid until a table that it reads changes (default 128; 0 = no cache)',
  ],
  ['--relation-cache-entries <n>', 'maximum number of cached results (default 4096)'],
  [
    '--relation-cache-max-result-size-mib <n>',
    'maximum encoded size of one cached result (default 8)',
  ],
  ['--max-body-mib <n>', 'maximum size of a request body (default 4)'],
  [
    '--max-connections <n>',
    'maximum number of open connections (default 10000, or as the limit on open files allows)',
  ],
  ['--max-queue <n>', 'maximum number of programs that wait for an execution slot (default 1024)'],
  [
    '--arriving-mib <n>',
    'memory for all request bodies that are still being received (default 128)',
  ],
  [
    '--unsent-mib <n>',
    'memory for all responses above 1 MiB that are not fully sent yet (default 256)',
  ],
];

const tuning: Flags = storeOptions.map(
  ({ name, argument, description, otherwise }) =>
    [`--${name} ${argument}`, `${description} (default ${otherwise})`] as const,
);

const grouped = (heading: string, flags: Flags): readonly Option[] =>
  flags.map(([name, description]) => new Option(name, description).helpGroup(`${heading}:`));

export const placeOptions: readonly Option[] = grouped('Storage', placeFlags);

export const serveOptions: readonly Option[] = [
  ...grouped('Network', networkFlags),
  ...grouped('PostgreSQL', postgresFlags),
  ...grouped('Authentication', [...authenticationFlags, ...auditFlags]),
  ...placeOptions,
  ...grouped('Storage', permissionFlags),
  ...grouped('Database', databaseFlags),
  ...grouped('Readers', readerFlags),
  ...grouped('Logs and telemetry', observability),
  ...grouped('Limits', limits),
  ...grouped('Storage tuning', tuning),
];

export const environmentHelp = `
Each flag has an environment variable: SVC_ADDR for --addr, SVC_STORAGE_PATH for --storage-path, and so on.
The flag has priority over the variable. An empty variable counts as unset. The variables of storage tuning
also work without the prefix SVC_: STORE_DECODED_CACHE_SIZE_MIB.
Settings without a flag:
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
                         credentials of the bucket; S3_ACCESS_KEY_ID and so on have priority over them
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
  OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_EXPORTER_OTLP_TIMEOUT
                         as defined by OpenTelemetry: the collector, the name of the process, the sampling of
                         traces, time limit of a request to the collector in milliseconds (default 5000)
  OTEL_SDK_DISABLED      true: send no traces and no metrics, even if an endpoint is set (default false)
  SVC_SHUTDOWN_DRAIN_MS  on shutdown, time between failing /readyz and closing the listeners (default 0)
  SVC_CLOSE_TIMEOUT_MS   on shutdown, time limit for closing the store (default 0 = no limit)

SIGTERM, SIGINT, SIGHUP and SIGQUIT stop the server when all running requests have finished, at the latest
after --drain-timeout-ms. A server with certificates does not stop on SIGHUP, but reads them again. SIGUSR1, SIGUSR2 and SIGPIPE have no effect.`;
