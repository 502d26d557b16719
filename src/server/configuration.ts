/**
 * The options of `svc serve`. A flag overrides its environment variable, an empty variable counts as unset, and
 * malformed values are refused (docs/cli.md).
 */

import { resolve } from 'node:path';
import {
  type AddressRange,
  type DiagnosticsLevel,
  diagnosticsLevels,
  type RelationLimits,
} from '#http';
import type { BucketOptions, StoreTuning } from '#storage';
import { type Address, isLoopbackOnly, parseAddress } from './address.ts';
import { type AdminConfiguration, adminOf } from './admin/options.ts';
import { allowedHostsOf } from './allowed-hosts.ts';
import { type AuditConfiguration, auditOf } from './audit/options.ts';
import {
  type AuthenticationConfiguration,
  authenticationOf,
  credentialKinds,
} from './authentication/options.ts';
import { corsOriginsOf } from './cors-origins.ts';
import { defaultDirectory } from './default-directory.ts';
import {
  type Environment,
  type Option,
  oneOf,
  readOption,
  refusal,
  wholeNumber,
} from './option.ts';
import { type OtelConfiguration, otelOf } from './otel-options.ts';
import { type PostgresConfiguration, postgresOf } from './postgres/options.ts';
import { type RelayConfiguration, relayOf } from './relay/options.ts';
import { bucketOf } from './s3-options.ts';
import { type SpillConfiguration, spillOf } from './spill-option.ts';
import { readStoreOptions } from './store-options.ts';
import { type TlsConfiguration, tlsOf } from './tls/options.ts';
import { trustedProxiesOf } from './trusted-proxies.ts';

/** Raw flag values, by the name of the flag without its leading dashes. */
type ServeFlags = Readonly<Record<string, string | undefined>>;

export interface ServeConfiguration {
  readonly address: Address;
  /** Certificates of the public listener. `undefined`: it serves plain HTTP. */
  readonly tls: TlsConfiguration | undefined;
  readonly authentication: AuthenticationConfiguration;
  /** The listener of the PostgreSQL protocol, or `undefined` if there is none. */
  readonly postgres: PostgresConfiguration | undefined;
  /** The audit log, or `undefined` if there is none. */
  readonly audit: AuditConfiguration | undefined;
  /** Requests per second of each principal whose key contains no rate. `undefined`: no limit. */
  readonly rateLimit: number | undefined;
  /** Whether every client may do everything on an address that other machines can reach. */
  readonly isInsecure: boolean;
  /** Whether clients reach this server only through a proxy that accepts TLS. */
  readonly isBehindTlsProxy: boolean;
  /** The proxies whose `X-Forwarded-For` header counts. */
  readonly trustedProxies: readonly AddressRange[];
  readonly role: 'read' | 'write';
  readonly storage: 'memory' | 'file' | 's3';
  /** Absolute path. */
  readonly storagePath: string;
  /** Whether other users of the group of the directory share a file store. */
  readonly isStorageShared: boolean;
  /** The bucket, only with `--storage s3`. */
  readonly s3: BucketOptions | undefined;
  /** Catalog mode; `undefined` selects the mode of the database, which is `direct` for a new database. */
  readonly catalogMode: 'direct' | 'schema' | undefined;
  /** The interval at which a reader checks for a newer state. */
  readonly pollMs: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Whether each program is logged. */
  readonly hasProgramLog: boolean;
  /** Programs that take at least this long are logged in any case. 0 turns this off. */
  readonly slowMs: number;
  /** Whether executed programs are stored. */
  readonly capturesCorpus: boolean;
  /** The admin listener, or `undefined` if there is none. */
  readonly admin: AdminConfiguration | undefined;
  readonly bodyBytesMax: number;
  /** Maximum number of connections; `undefined` selects the maximum that the limit of open files allows. */
  readonly connectionsMax: number | undefined;
  /** Time without a request after which a connection is closed. */
  readonly keepAliveMs: number;
  /** Origins of web pages that may send requests, or `*`. An empty list turns CORS off. */
  readonly corsOrigins: readonly string[];
  /** Names in `Host` that the server accepts, in lower case. An empty list permits all names. */
  readonly allowedHosts: readonly string[];
  /** Receiver of traces and metrics, or `undefined` if they are not exported. */
  readonly otel: OtelConfiguration | undefined;
  /** The statistics relay between readers and the writer, or `undefined` if it is off. */
  readonly relay: RelayConfiguration | undefined;
  /** Name of this process for the collector and for the writer. */
  readonly instanceId: string;
  /**
   * The highest level of diagnostics that a request may ask for. The default is `detailed` if only this machine can
   * reach the server, else `summary`.
   */
  readonly diagnostics: DiagnosticsLevel;
  /** Whether metrics are recorded and `/metrics` is served. */
  readonly hasMetrics: boolean;
  /** Maximum bytes of all request bodies that are still being received. */
  readonly arrivingBytesMax: number;
  /** Maximum bytes of all large responses that are not fully sent yet. */
  readonly unsentBytesMax: number;
  readonly queueMax: number;
  readonly programMemoryBytes: number;
  /** Maximum bytes of all programs together. `undefined` uses a limit derived from the machine. */
  readonly memoryBytes: number | undefined;
  /** Where programs spill. `undefined`: programs that exceed their memory fail. */
  readonly spill: SpillConfiguration | undefined;
  /** Maximum bytes of one encoded result. */
  readonly resultBytesMax: number;
  /** Limits of the relation cache. 0 bytes turn it off. */
  readonly relations: RelationLimits;
  /** Time from the arrival of a request. 0 means no limit. */
  readonly statementTimeoutMs: number;
  /** The `--store-*` options. */
  readonly tuning: StoreTuning;
  /** Time between failing readiness and closing the listeners. */
  readonly drainMs: number;
  /**
   * Time for running requests after the listeners have closed. Requests that still run are then ended. 0 waits without a
   * limit.
   */
  readonly drainTimeoutMs: number;
  /** Time for closing the store. 0 waits without a limit. */
  readonly closeTimeoutMs: number;
}

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
const logFormats = ['text', 'json', 'logfmt'] as const;
export type LogFormat = (typeof logFormats)[number];

const mib = 1 << 20;
const slowRange = { min: 0, max: 600_000, otherwise: 500 };
const pollRange = { min: 10, max: 3_600_000, otherwise: 1000 };
const delayRange = { min: 0, max: 2 ** 31 - 1, otherwise: 0 };
/** The default is longer than the 60 s of common load balancers, which therefore close first. */
const keepAliveRange = { min: 1000, max: 3_600_000, otherwise: 75_000 };
const memoryRange = { min: 16, max: 1 << 20, otherwise: 0 };

/** Throws a `RefusedOption`. */
export function readConfiguration(flags: ServeFlags, env: Environment): ServeConfiguration {
  const option = (name: string, variable = `SVC_${name.replaceAll('-', '_').toUpperCase()}`) =>
    readOption({ name, variable }, flags[name], env[variable]);
  const role = oneOf(option('role'), ['write', 'read'], 'write');
  const bodyMib = wholeNumber(option('max-body-mib'), { min: 1, max: 1024, otherwise: 4 });
  const storage = storageOf(option('storage'), role);
  const storagePath = directoryOf(option('storage-path'));
  const address = addressOf(option('addr'));
  const relay = relayOf(option, role);
  const authentication = authenticationOf(option);
  const audit = auditOf(option);
  const hasAuthentication = credentialKinds(authentication).length > 0;
  const tuning = readStoreOptions(option, storage);
  const capturesCorpus = capturesCorpusOf(option('capture-workload-corpus'), role, relay);
  return {
    address,
    tls: tlsOf(option, 'tls'),
    authentication,
    postgres: postgresOf(option, { hasAuthentication, audit }),
    audit,
    rateLimit: rateLimitOf(option('rate-limit'), option('auth')),
    isInsecure: isSet(option('insecure')),
    isBehindTlsProxy: isSet(option('behind-tls-proxy')),
    trustedProxies: trustedProxiesOf(option('trusted-proxy')),
    role,
    storage,
    storagePath,
    isStorageShared: isSet(option('storage-group')),
    s3: bucketOf(storage, option, env),
    catalogMode: oneOf(option('catalog-mode'), ['direct', 'schema'], undefined),
    pollMs: wholeNumber(option('reader-poll-interval-ms'), pollRange),
    logLevel: oneOf(option('log-level'), logLevels, 'info'),
    logFormat: oneOf(option('log-format'), logFormats, 'text'),
    hasProgramLog: isSet(option('log-programs')),
    slowMs: wholeNumber(option('slow-ms'), slowRange),
    capturesCorpus,
    admin: adminOf(option('admin-addr'), {
      address,
      ownsCorpus: capturesCorpus && role === 'write',
    }),
    bodyBytesMax: bodyMib * mib,
    connectionsMax: connectionsMaxOf(option('max-connections')),
    keepAliveMs: wholeNumber(option('keep-alive-timeout-ms'), keepAliveRange),
    corsOrigins: corsOriginsOf(option('cors-origin'), hasAuthentication),
    allowedHosts: allowedHostsOf(option('allowed-host'), hasAuthentication),
    otel: otelOf(otelOptions(option, env)),
    relay,
    instanceId: option('instance-id').value || env['HOSTNAME'] || 'svc',
    diagnostics: oneOf(
      option('diagnostics'),
      diagnosticsLevels,
      isLoopbackOnly(address) ? 'detailed' : 'summary',
    ),
    hasMetrics: oneOf(option('metrics'), ['true', 'false'], 'true') === 'true',
    arrivingBytesMax: wholeNumber(option('arriving-mib'), arrivingRange(bodyMib)) * mib,
    unsentBytesMax:
      wholeNumber(option('unsent-mib'), { min: 1, max: 65_536, otherwise: 256 }) * mib,
    queueMax: wholeNumber(option('max-queue'), { min: 0, max: 1_000_000, otherwise: 1024 }),
    programMemoryBytes:
      wholeNumber(option('program-memory-mib'), { min: 1, max: 65_536, otherwise: 256 }) * mib,
    memoryBytes: wholeNumber(option('memory-mib'), memoryRange) * mib || undefined,
    spill: spillOf(option('spill-path'), option('spill-limit-mib'), {
      storage,
      storagePath,
      tuning,
    }),
    resultBytesMax:
      wholeNumber(option('max-result-mib'), { min: 1, max: 1024, otherwise: 64 }) * mib,
    relations: relationsOf(option),
    statementTimeoutMs: wholeNumber(option('statement-timeout-ms'), {
      ...delayRange,
      otherwise: 60_000,
    }),
    tuning,
    drainMs: wholeNumber(option('', 'SVC_SHUTDOWN_DRAIN_MS'), delayRange),
    drainTimeoutMs: wholeNumber(option('drain-timeout-ms'), { ...delayRange, otherwise: 30_000 }),
    closeTimeoutMs: wholeNumber(option('', 'SVC_CLOSE_TIMEOUT_MS'), delayRange),
  };
}

function isSet(option: Option): boolean {
  return oneOf(option, ['true', 'false'], 'false') === 'true';
}

function rateLimitOf(option: Option, { value: auth = 'none' }: Option): number | undefined {
  if (option.value === undefined) return undefined;
  if (auth === 'none') throw refusal(option, 'only with --auth keys or jwt');
  return wholeNumber(option, { min: 1, max: 1_000_000, otherwise: 0 });
}

type ReadOption = (name: string, variable?: string) => Option;

/** The options of OpenTelemetry. Without a variable of svc, those of its SDK apply. */
function otelOptions(option: ReadOption, env: Environment): Parameters<typeof otelOf>[0] {
  return {
    endpoint: env['SVC_OTEL_ENDPOINT']
      ? option('otel-endpoint')
      : option('otel-endpoint', 'OTEL_EXPORTER_OTLP_ENDPOINT'),
    sampler: option('', 'OTEL_TRACES_SAMPLER'),
    ratio: option('', 'OTEL_TRACES_SAMPLER_ARG'),
    timeout: option('', 'OTEL_EXPORTER_OTLP_TIMEOUT'),
    disabled: option('', 'OTEL_SDK_DISABLED'),
  };
}

function connectionsMaxOf(option: Option): number | undefined {
  if (option.value === undefined) return undefined;
  return wholeNumber(option, { min: 1, max: 1_000_000, otherwise: 0 });
}

/** Returns whether executed programs are recorded. A reader stores nothing: it sends its programs to the writer. */
function capturesCorpusOf(
  option: Option,
  role: 'read' | 'write',
  relay: RelayConfiguration | undefined,
): boolean {
  const captures = isSet(option);
  if (!captures || role === 'write' || relay !== undefined) return captures;
  throw refusal(
    option,
    '--relay-target to be set with --role read, because only the writer stores programs',
  );
}

function relationsOf(option: (name: string) => Option): RelationLimits {
  const number = (name: string, otherwise: number, range: { min: number; max: number }) =>
    wholeNumber(option(`relation-cache-${name}`), { ...range, otherwise });
  return {
    bytesMax: number('size-mib', 128, { min: 0, max: 1 << 20 }) * mib,
    entriesMax: number('entries', 4096, { min: 1, max: 1 << 20 }),
    resultBytesMax: number('max-result-size-mib', 8, { min: 1, max: 1024 }) * mib,
  };
}

/** The minimum has space for one body, whose memory grows by doubling. */
function arrivingRange(bodyMib: number) {
  const min = 2 * bodyMib;
  return { min, max: 65_536, otherwise: Math.max(128, min) };
}

function storageOf(option: Option, role: 'read' | 'write') {
  const storage = oneOf(option, ['file', 'memory', 's3'], 'file');
  if (storage !== 'memory' || role === 'write') return storage;
  throw refusal(option, 'file or s3 with --role read, because no writer shares this memory');
}

function addressOf(option: Option): Address {
  const address = parseAddress(option.value ?? '127.0.0.1:7237');
  if (address !== undefined) return address;
  throw refusal(option, 'host:port, or :port for all interfaces, with a port from 0 to 65535');
}

function directoryOf(option: Option): string {
  if (option.value === '') throw refusal(option, 'a directory');
  return resolve(option.value ?? defaultDirectory());
}
