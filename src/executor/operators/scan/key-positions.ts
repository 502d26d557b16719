/** Sorts a batch of keys. */

import { compareBytes } from '#base';
import { batchRowsMax } from '../../batch/vector.ts';

/** Number of key bytes after the common prefix of all keys that fit into one number together with a position. */
const headLength = 5;

/**
 * Returns the positions of at most `batchRowsMax` keys in the order of the keys. They are sorted as numbers, and compared as bytes only if their
 * heads are equal.
 */
export function keyPositions(keys: readonly Uint8Array[]): Uint16Array {
  const { length } = keys;
  const positions = new Uint16Array(length);
  const shared = sharedLength(keys);
  const heads = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    heads[i] = headOf(keys[i] as Uint8Array, shared) * batchRowsMax + i;
  }
  heads.sort();
  for (let i = 0; i < length; i++) positions[i] = (heads[i] as number) % batchRowsMax;
  for (let from = 0; from < length; ) {
    const head = Math.floor((heads[from] as number) / batchRowsMax);
    let to = from + 1;
    while (to < length && Math.floor((heads[to] as number) / batchRowsMax) === head) to++;
    if (to - from > 1) {
      positions
        .subarray(from, to)
        .sort((a, b) => compareBytes(keys[a] as Uint8Array, keys[b] as Uint8Array));
    }
    from = to;
  }
  return positions;
}

/** Returns the length of the common prefix of all keys. */
function sharedLength(keys: readonly Uint8Array[]): number {
  const first = keys[0];
  if (first === undefined) return 0;
  let shared = first.length;
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as Uint8Array;
    let at = 0;
    const end = Math.min(shared, key.length);
    while (at < end && key[at] === first[at]) at++;
    shared = at;
  }
  return shared;
}

/**
 * Returns the head of a key as a number. Missing bytes count as 0: a key that ends sorts before its extensions, and its head is at most equal to
 * theirs.
 */
function headOf(key: Uint8Array, from: number): number {
  let head = 0;
  for (let i = from; i < from + headLength; i++) head = head * 256 + (key[i] ?? 0);
  return head;
}
