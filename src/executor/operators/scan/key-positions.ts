/** Sorts a batch of keys by radix. */

import { compareBytes } from '#base';
import { batchRowsMax } from '../../batch/vector.ts';

/** Number of key bytes after the common prefix of all keys that are sorted as numbers. */
const headLength = 4;
const digits = 256;

// Shared, because sorting never waits.
const heads = new Uint32Array(batchRowsMax);
const ends = new Uint32Array(digits);
const moved = new Uint16Array(batchRowsMax);

/**
 * Returns the positions of at most `batchRowsMax` keys in the order of the keys. Their heads are sorted as numbers. Keys are compared as bytes only
 * if their heads are equal.
 */
export function keyPositions(keys: readonly Uint8Array[]): Uint16Array {
  const { length } = keys;
  const positions = new Uint16Array(length);
  const shared = sharedLength(keys);
  let differing = 0;
  let isOrdered = true;
  for (let i = 0; i < length; i++) {
    const head = headOf(keys[i] as Uint8Array, shared);
    heads[i] = head;
    positions[i] = i;
    differing |= head ^ (heads[0] as number);
    if (i > 0 && head < (heads[i - 1] as number)) isOrdered = false;
  }
  for (let shift = 0; shift < 8 * headLength && !isOrdered; shift += 8) {
    if (((differing >>> shift) & (digits - 1)) !== 0) sortByDigit(positions, shift);
  }
  for (let from = 0; from < length; ) {
    const head = heads[positions[from] as number];
    let to = from + 1;
    while (to < length && heads[positions[to] as number] === head) to++;
    if (to - from > 1) {
      positions
        .subarray(from, to)
        .sort((a, b) => compareBytes(keys[a] as Uint8Array, keys[b] as Uint8Array));
    }
    from = to;
  }
  return positions;
}

/** Sorts the positions by one byte of their heads, and keeps the order of equal ones. */
function sortByDigit(positions: Uint16Array, shift: number): void {
  ends.fill(0);
  const { length } = positions;
  for (let i = 0; i < length; i++) {
    const digit = ((heads[i] as number) >>> shift) & (digits - 1);
    ends[digit] = (ends[digit] as number) + 1;
  }
  for (let digit = 1; digit < digits; digit++) {
    ends[digit] = (ends[digit] as number) + (ends[digit - 1] as number);
  }
  for (let i = length - 1; i >= 0; i--) {
    const position = positions[i] as number;
    const digit = ((heads[position] as number) >>> shift) & (digits - 1);
    const at = (ends[digit] as number) - 1;
    ends[digit] = at;
    moved[at] = position;
  }
  positions.set(moved.subarray(0, length));
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
  if (from + headLength > key.length) return headOfEnd(key, from);
  const upper = ((key[from] as number) << 8) | (key[from + 1] as number);
  return ((upper << 16) | ((key[from + 2] as number) << 8) | (key[from + 3] as number)) >>> 0;
}

function headOfEnd(key: Uint8Array, from: number): number {
  let head = 0;
  for (let i = from; i < from + headLength; i++) head = head * 256 + (key[i] ?? 0);
  return head;
}
