/** The order of keys, and repetitions in it. */

import { compareBytes, equalBytes } from '#base';

/** The numbers of the keys in key order; equal keys stay in their order. */
export function keyOrder(keys: readonly Uint8Array[]): number[] {
  const order = Array.from(keys, (_, i) => i);
  if (isAscending(keys)) return order;
  return order.sort((a, b) => compareBytes(keys[a] as Uint8Array, keys[b] as Uint8Array));
}

/** The first number, in key order, whose key repeats the one before it; -1 when all are different. */
export function firstRepeated(keys: readonly Uint8Array[], order: readonly number[]): number {
  for (let i = 1; i < order.length; i++) {
    const at = order[i] as number;
    if (equalBytes(keys[order[i - 1] as number] as Uint8Array, keys[at] as Uint8Array)) return at;
  }
  return -1;
}

/** Different keys in key order. */
export function distinctKeys(keys: readonly Uint8Array[]): Uint8Array[] {
  const distinct: Uint8Array[] = [];
  for (const at of keyOrder(keys)) {
    const key = keys[at] as Uint8Array;
    const last = distinct.at(-1);
    if (last === undefined || !equalBytes(last, key)) distinct.push(key);
  }
  return distinct;
}

function isAscending(keys: readonly Uint8Array[]): boolean {
  for (let i = 1; i < keys.length; i++) {
    if (compareBytes(keys[i - 1] as Uint8Array, keys[i] as Uint8Array) > 0) return false;
  }
  return true;
}
