/** `svc serve` options: flags beat environment, an empty variable counts as unset, and what is malformed is refused (cli.md §1, §3). */

import { fail } from '#failure';
import { type Address, parseAddress } from './address.ts';

/** Raw flag values, by the flag's name without dashes in front. */
export type ServeFlags = Readonly<Record<string, string | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ServeConfiguration {
  readonly address: Address;
  readonly storage: 'memory' | 'file';
  readonly storagePath: string;
  readonly catalogMode: 'direct' | 'schema' | undefined;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly bodyBytesMax: number;
  readonly queueMax: number;
  readonly programMemoryBytes: number;
  readonly statementTimeoutMs: number;
  readonly cacheBytes: number;
  readonly drainMs: number;
  readonly closeTimeoutMs: number;
}

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ['text', 'json', 'logfmt'] as const;
export type LogFormat = (typeof logFormats)[number];

const mib = 1 << 20;

export function readConfiguration(flags: ServeFlags, env: Environment): ServeConfiguration {
  const option = (name: string, variable = `SVC_${name.replaceAll('-', '_').toUpperCase()}`) => ({
    name,
    variable,
    ...pick(flags[name], env[variable]),
  });
  return {
    address: addressOf(option('addr')),
    storage: oneOf(option('storage'), ['file', 'memory'], 'file'),
    storagePath: option('storage-path').value ?? 'svc',
    catalogMode: oneOf(option('catalog-mode'), ['direct', 'schema'], undefined),
    logLevel: oneOf(option('log-level'), logLevels, 'info'),
    logFormat: oneOf(option('log-format'), logFormats, 'text'),
    bodyBytesMax: wholeNumber(option('max-body-mib'), { min: 1, max: 1024, otherwise: 4 }) * mib,
    queueMax: wholeNumber(option('max-queue'), { min: 0, max: 1_000_000, otherwise: 1024 }),
    programMemoryBytes:
      wholeNumber(option('program-memory-mib'), { min: 1, max: 65_536, otherwise: 256 }) * mib,
    statementTimeoutMs: wholeNumber(option('statement-timeout-ms'), { ...delay, otherwise: 0 }),
    cacheBytes: cacheBytesOf(
      option('store-decoded-cache-size-mib', 'STORE_DECODED_CACHE_SIZE_MIB'),
    ),
    drainMs: wholeNumber(option('', 'SVC_SHUTDOWN_DRAIN_MS'), { ...delay, otherwise: 0 }),
    closeTimeoutMs: wholeNumber(option('', 'SVC_CLOSE_TIMEOUT_MS'), { ...delay, otherwise: 0 }),
  };
}

/** One option with the value it has and where that came from. */
interface Option {
  readonly name: string;
  readonly variable: string;
  readonly value: string | undefined;
  readonly isFlag: boolean;
}

const delay = { min: 0, max: 2 ** 31 - 1 };

function pick(flag: string | undefined, variable: string | undefined) {
  if (flag !== undefined) return { value: flag, isFlag: true };
  return { value: variable === '' ? undefined : variable, isFlag: false };
}

function addressOf(option: Option): Address {
  const address = parseAddress(option.value ?? '127.0.0.1:7237');
  if (address !== undefined) return address;
  throw refusal(option, 'host:port or :port with a port from 0 to 65535');
}

function cacheBytesOf(option: Option): number {
  return wholeNumber(option, { min: 16, max: 1 << 20, otherwise: 128 }) * mib;
}

function oneOf<const T extends string, D extends NoInfer<T> | undefined>(
  option: Option,
  allowed: readonly T[],
  otherwise: D,
): T | D {
  if (option.value === undefined) return otherwise;
  const found = allowed.find((candidate) => candidate === option.value);
  if (found !== undefined) return found;
  throw refusal(option, `one of ${allowed.join(', ')}`);
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly otherwise: number;
}

function wholeNumber(option: Option, range: NumberRange): number {
  if (option.value === undefined) return range.otherwise;
  const value = /^\d{1,15}$/.test(option.value) ? Number(option.value) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  throw refusal(option, `a whole number from ${range.min} to ${range.max}`);
}

/** Names the flag or variable, its value, and what is allowed. */
function refusal(option: Option, allowed: string): Error {
  const source = option.isFlag ? `--${option.name}` : option.variable;
  return fail('invalid', `${source} is "${option.value}": expected ${allowed}`);
}
