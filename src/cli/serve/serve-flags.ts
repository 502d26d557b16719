/** The flags of `svc serve` as its help shows them; what they may be is checked where they are read. */

import { Option } from '@commander-js/extra-typings';
import { storeOptions } from '#server';

type Flags = readonly (readonly [flag: string, description: string])[];

/** Where a store is. */
const placeFlags: Flags = [
  ['--storage <file|memory|s3>', 'what a store is kept in (default file)'],
  ['--storage-path <directory>', 'where a file store keeps its data (default svc.data)'],
  ['--s3-bucket <name>', 'bucket of an s3 store'],
  ['--s3-prefix <prefix>', 'where in the bucket (default svc)'],
  ['--s3-region <region>', 'region of the bucket (default AWS_REGION)'],
  ['--s3-endpoint <url>', 'another S3 server than AWS, addressed path-style'],
];

const basics: Flags = [
  [
    '--addr <host:port>',
    'where to listen: on all addresses of the host; `:port` for all interfaces, IPv4 and IPv6 (default 127.0.0.1:7237)',
  ],
  [
    '--catalog-mode <direct|schema>',
    'who changes the schema (default direct); fixed by the first start',
  ],
  ...placeFlags,
  ['--role <write|read>', 'write, or read what another process writes (default write)'],
  ['--reader-poll-interval-ms <n>', 'how often a reader looks for a newer state (default 1000)'],
  ['--log-level <error|warn|info|debug>', 'what is logged at all (default info)'],
  ['--log-format <text|json|logfmt>', 'how it is logged (default text)'],
  ['--log-programs [true|false]', 'whether each program has a line in the log (default false)'],
  [
    '--slow-ms <n>',
    'programs that take as long have one, with what they are (default 500; 0 = none)',
  ],
  [
    '--capture-workload-corpus [true|false]',
    'whether programs that have run are kept in the store of the writer, with their literals (default false)',
  ],
  [
    '--admin-addr <host:port>',
    'the admin listener, on loopback (default beside --capture-workload-corpus the next port, else none)',
  ],
  ['--cors-origin <origin...>', 'origins of web pages that may call (default none)'],
  [
    '--otel-endpoint <url>',
    'collector that traces and metrics are sent to, by OTLP over HTTP (default none)',
  ],
  ['--instance-id <name>', 'how this process calls itself there (default the host)'],
  [
    '--internal-addr <host:port>',
    'where a writer listens to what its readers tell (default nowhere)',
  ],
  [
    '--relay-target <url>',
    'where a reader tells what it has executed: that address (default nobody)',
  ],
  ['--relay-token-file <file>', 'a token of 32 bytes or more, the same for both of them'],
  ['--relay-ca <file>', 'PEM of the authorities that a reader trusts there (default the system’s)'],
  [
    '--internal-tls-cert <file>',
    'PEM certificate of the internal listener, which then speaks TLS (default plain HTTP)',
  ],
  ['--internal-tls-key <file>', 'PEM of its private key, which others cannot read'],
  [
    '--diagnostics <off|summary|detailed|full>',
    'the most that a request may learn of what its program did (default summary)',
  ],
  ['--metrics <true|false>', 'whether GET /metrics answers (default true)'],
];

const limits: Flags = [
  [
    '--statement-timeout-ms <n>',
    'time of a request from its arrival (default 60000; 0 = no limit)',
  ],
  ['--drain-timeout-ms <n>', 'time for what runs at a stop (default 30000; 0 = no limit)'],
  ['--memory-mib <n>', 'memory of all programs (default 1024, at most 40 % of what there is)'],
  ['--program-memory-mib <n>', 'memory that one program may hold (default 256)'],
  [
    '--spill-path <directory>',
    'where sorts, joins and groups put what exceeds that memory (default none: they fail)',
  ],
  ['--spill-limit-mib <n>', 'the most that all programs put there (default 4096)'],
  ['--max-result-mib <n>', 'largest answer, encoded (default 64)'],
  [
    '--relation-cache-size-mib <n>',
    'answers that are kept for as long as nothing that they show changes (default 128; 0 = none)',
  ],
  ['--relation-cache-entries <n>', 'the most of them (default 4096)'],
  ['--relation-cache-max-result-size-mib <n>', 'the largest of them, encoded (default 8)'],
  ['--max-body-mib <n>', 'largest request body (default 4)'],
  ['--max-connections <n>', 'connections at a time (default 10000, or what open files allow)'],
  [
    '--keep-alive-timeout-ms <n>',
    'time without a request after which a connection is closed (default 75000)',
  ],
  ['--max-queue <n>', 'programs that may wait to run (default 1024)'],
  ['--arriving-mib <n>', 'request bodies on their way in, all together (default 128)'],
  ['--unsent-mib <n>', 'large answers that clients have not taken yet (default 256)'],
];

const tuning: Flags = storeOptions.map(
  ({ name, argument, description, otherwise }) =>
    [`--${name} ${argument}`, `${description} (default ${otherwise})`] as const,
);

const grouped = (heading: string, flags: Flags): readonly Option[] =>
  flags.map(([name, description]) => new Option(name, description).helpGroup(`${heading}:`));

export const placeOptions: readonly Option[] = grouped('Basics', placeFlags);

export const serveOptions: readonly Option[] = [
  ...grouped('Basics', basics),
  ...grouped('Limits', limits),
  ...grouped('Storage tuning', tuning),
];

export const environmentHelp = `
Every flag has a variable, which the flag beats and which counts as unset when it is empty: SVC_ADDR for --addr,
SVC_STORAGE_PATH for --storage-path, and so on. Those of storage tuning count without SVC_ in front, too:
STORE_DECODED_CACHE_SIZE_MIB.
By variable only:
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
                         credentials of the bucket; S3_ACCESS_KEY_ID and so on come before them
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
  OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_EXPORTER_OTLP_TIMEOUT
                         as OpenTelemetry has them: the collector, the name of the process, what is traced,
                         milliseconds for one request to the collector (default 5000)
  OTEL_SDK_DISABLED      true: no traces and no metrics are sent, whatever the endpoint (default false)
  SVC_SHUTDOWN_DRAIN_MS  time between failing /readyz and closing the listeners at a stop (default 0)
  SVC_CLOSE_TIMEOUT_MS   time for closing the store at a stop (default 0 = no limit)

SIGTERM, SIGINT, SIGHUP and SIGQUIT stop the server when what runs has finished, or at the end of
--drain-timeout-ms. SIGUSR1, SIGUSR2 and SIGPIPE have no effect.`;
