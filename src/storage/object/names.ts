/** Names of objects. Numbers are zero-padded to ten digits, so that the order of names is the order of numbers. */

import { invariant } from '#base';

export const prefixes = {
  epoch: 'epoch/',
  manifest: 'manifest/',
  log: 'wal/',
  table: 'sst/',
  pin: 'pin/',
} as const;

const digits = 10;

export function padNumber(value: number): string {
  invariant(value >= 0 && value < 10 ** digits, 'a number in a name has at most ten digits');
  return String(value).padStart(digits, '0');
}

export function epochName(epoch: number): string {
  return `${prefixes.epoch}${padNumber(epoch)}`;
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

/** The two numbers in the last part of `name`, or undefined when it is not of the form `<n>-<n>` plus `suffix`. */
export function pairOf(name: string, suffix = ''): readonly [number, number] | undefined {
  const match = /(\d{10})-(\d{10})(\.log)?$/.exec(name);
  if (match === null || (match[3] ?? '') !== suffix) return undefined;
  return [Number(match[1]), Number(match[2])];
}
