/** Names of objects. Numbers are zero-padded to ten digits, so that the order of names is the order of numbers. */

import { invariant, type Random } from '#base';

export const prefixes = {
  epoch: 'epoch/',
  manifest: 'manifest/',
  log: 'wal/',
  table: 'sst/',
  pin: 'pin/',
} as const;

/** Written by whoever holds the store, again and again, to see that it can be. */
export const runtimeName = 'runtime';

const digits = 10;
const idDigits = 16;

export function padNumber(value: number): string {
  invariant(value >= 0 && value < 10 ** digits, 'a number in a name has at most ten digits');
  return String(value).padStart(digits, '0');
}

/** Of a bucket, where one sequence of numbers spans all epochs. */
export function bucketManifestName(number: number): string {
  return `${prefixes.manifest}${padNumber(number)}`;
}

/** Of a bucket. Every group of the log is one, so the numbers are longer. */
export function logObjectName(id: number): string {
  return `${prefixes.log}${String(id).padStart(idDigits, '0')}`;
}

/** The number at the end of the name of a manifest or log object of a bucket; undefined when it is another name. */
export function numberOf(name: string): number | undefined {
  const match = /^(?:manifest\/(\d{10})|wal\/(\d{16}))$/.exec(name);
  return match === null ? undefined : Number(match[1] ?? match[2]);
}

/** Of a bucket: `chance` is eight hex digits. */
export function bucketTableName(epoch: number, file: number, chance: string): string {
  return `${tableName(epoch, file)}-${chance}`;
}

/** The epoch in the name of a table, of a directory or a bucket. */
export function epochOfTable(name: string): number | undefined {
  const match = /^sst\/(\d{10})-\d{10}(?:-[0-9a-f]{8})?$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

export function epochName(epoch: number): string {
  return `${prefixes.epoch}${padNumber(epoch)}`;
}

/** The epoch of a claim; undefined when it is another name. */
export function epochOfClaim(name: string): number | undefined {
  const match = /^epoch\/(\d{10})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** The epoch that a name of a directory carries: of a manifest, a segment, finished or not, a table or a pin. */
export function epochCarriedBy(name: string): number | undefined {
  const match = /^(?:manifest|wal|sst|pin)\/(\d{10})[-.]/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** Stands for all manifests of an epoch, when it is not known which one is missing. */
export function manifestsOf(epoch: number): string {
  return `${prefixes.manifest}${padNumber(epoch)}-*`;
}

export function manifestName(epoch: number, number: number): string {
  return `${prefixes.manifest}${padNumber(epoch)}-${padNumber(number)}`;
}

/** A table's name is unique over the life of a store: names are never reused. */
export function tableName(epoch: number, file: number): string {
  return `${prefixes.table}${padNumber(epoch)}-${padNumber(file)}`;
}

export function segmentName(epoch: number, segment: number): string {
  return `${prefixes.log}${padNumber(epoch)}-${padNumber(segment)}.log`;
}

/** Of a bucket: an object that is made to see whether the store does as it should. */
export function probeName(random: Random): string {
  return `probe/${Buffer.from(random.fill(new Uint8Array(16))).toString('hex')}`;
}

/** The two numbers in the last part of `name`, or undefined when it is not of the form `<n>-<n>` plus `suffix`. */
export function pairOf(name: string, suffix = ''): readonly [number, number] | undefined {
  const match = /(\d{10})-(\d{10})(\.log)?$/.exec(name);
  if (match === null || (match[3] ?? '') !== suffix) return undefined;
  return [Number(match[1]), Number(match[2])];
}
