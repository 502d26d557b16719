/**
 * Names of objects. Numbers are zero-padded to ten digits, so that the names sort in the order of
 * the numbers.
 */

import { invariant, type Random } from '#base';

export const prefixes = {
  epoch: 'epoch/',
  manifest: 'manifest/',
  log: 'wal/',
  table: 'sst/',
  pin: 'pin/',
} as const;

/** The object that the writer repeatedly writes to check that the storage location is writable. */
export const runtimeName = 'runtime';

const digits = 10;
const idDigits = 16;

export function padNumber(value: number): string {
  invariant(value >= 0 && value < 10 ** digits, 'a number in a name has at most ten digits');
  return String(value).padStart(digits, '0');
}

/** Returns the name of a manifest in a bucket, where one sequence of numbers spans all epochs. */
export function bucketManifestName(number: number): string {
  return `${prefixes.manifest}${padNumber(number)}`;
}

/**
 * Returns the name of a log object in a bucket. Every group of the log is one object, so the
 * numbers are longer.
 */
export function logObjectName(id: number): string {
  return `${prefixes.log}${String(id).padStart(idDigits, '0')}`;
}

/**
 * Returns the number at the end of the name of a manifest or log object in a bucket; `undefined`
 * for any other name.
 */
export function numberOf(name: string): number | undefined {
  const match = /^(?:manifest\/(\d{10})|wal\/(\d{16}))$/.exec(name);
  return match === null ? undefined : Number(match[1] ?? match[2]);
}

/** Returns the name of an SSTable in a bucket. `chance` consists of eight hex digits. */
export function bucketTableName(epoch: number, file: number, chance: string): string {
  return `${tableName(epoch, file)}-${chance}`;
}

/**
 * Returns the epoch in the name of an SSTable, in a directory or a bucket; `undefined` for any
 * other name.
 */
export function epochOfTable(name: string): number | undefined {
  const match = /^sst\/(\d{10})-\d{10}(?:-[0-9a-f]{8})?$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

export function epochName(epoch: number): string {
  return `${prefixes.epoch}${padNumber(epoch)}`;
}

/** Returns the epoch of an epoch claim; `undefined` for any other name. */
export function epochOfClaim(name: string): number | undefined {
  const match = /^epoch\/(\d{10})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/**
 * Returns the epoch in the name of a manifest, segment (finished or not), SSTable or pin of a
 * directory; `undefined` for any other name.
 */
export function epochCarriedBy(name: string): number | undefined {
  const match = /^(?:manifest|wal|sst|pin)\/(\d{10})[-.]/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/**
 * Returns a pattern for all manifests of an epoch, for use in messages if the missing one is not
 * known.
 */
export function manifestsOf(epoch: number): string {
  return `${prefixes.manifest}${padNumber(epoch)}-*`;
}

export function manifestName(epoch: number, number: number): string {
  return `${prefixes.manifest}${padNumber(epoch)}-${padNumber(number)}`;
}

/**
 * Returns the name of an SSTable, which is unique over the life of a store: names are never reused.
 */
export function tableName(epoch: number, file: number): string {
  return `${prefixes.table}${padNumber(epoch)}-${padNumber(file)}`;
}

export function segmentName(epoch: number, segment: number): string {
  return `${prefixes.log}${padNumber(epoch)}-${padNumber(segment)}.log`;
}

/** Returns a random name in a bucket for an object that tests the behavior of the store. */
export function probeName(random: Random): string {
  return `probe/${Buffer.from(random.fill(new Uint8Array(16))).toString('hex')}`;
}

/**
 * Returns the two numbers in the last part of `name`; `undefined` if it does not have the form
 * `<n>-<n>` plus `suffix`.
 */
export function pairOf(name: string, suffix = ''): readonly [number, number] | undefined {
  const match = /(\d{10})-(\d{10})(\.log)?$/.exec(name);
  if (match === null || (match[3] ?? '') !== suffix) return undefined;
  return [Number(match[1]), Number(match[2])];
}
