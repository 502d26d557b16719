/**
 * One bit for each integer of a range: whether it is a key. If few of the integers are keys, most lookups need only the bit, which is in a cache
 * near the CPU far more often than an array or a hash table of the codes.
 */

import { denseSelection, type Selection } from './vector.ts';

/** Ranges of fewer integers do not pay: an array of their codes fits into the nearest cache. */
const rangeMin = 2 ** 14;
/** The filter pays if at most one of this many integers is a key. */
const rangeOfKeyMin = 16;
/** The filter takes at most this many bits per key, about as much memory as a hash table. */
const rangeOfKeyMax = 256;
/** Visiting more keys would block the thread for several milliseconds. */
const keysMax = 2 ** 18;

export class KeyFilter {
  private readonly low: number;
  private readonly words: Uint32Array;

  /** Has a bit for each integer from `low` to `high`. */
  constructor(low: number, high: number) {
    this.low = low;
    this.words = new Uint32Array(wordsOf(high - low + 1));
  }

  add(key: number): void {
    const place = key - this.low;
    this.words[place >>> 5] = (this.words[place >>> 5] as number) | (1 << (place & 31));
  }

  /** Writes to `found` the selected rows whose key is in the filter, and returns their number. */
  select(keys: Float64Array, selection: Selection, count: number, found: Uint32Array): number {
    const { low, words } = this;
    return selection === denseSelection
      ? selectDense(words, low, keys, count, found)
      : selectOf(words, low, keys, selection, count, found);
  }
}

/** Returns the bytes of a filter for `size` keys from `low` to `high`; 0 if it does not pay. */
export function filterBytes(size: number, low: number, high: number): number {
  const range = high - low + 1;
  const pays =
    size <= keysMax &&
    range >= Math.max(rangeMin, size * rangeOfKeyMin) &&
    range <= size * rangeOfKeyMax;
  return pays ? wordsOf(range) * Uint32Array.BYTES_PER_ELEMENT : 0;
}

function wordsOf(range: number): number {
  return Math.ceil(range / 32);
}

// With a selection and for all rows: reading the selection takes a third of the time.

function selectOf(
  words: Uint32Array,
  low: number,
  keys: Float64Array,
  selection: Selection,
  count: number,
  found: Uint32Array,
): number {
  const range = words.length * 32;
  let rows = 0;
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const offset = (keys[row] as number) - low;
    // A loop that reads beyond the end of an array is compiled to slower code.
    if (!(offset >= 0 && offset < range)) continue;
    const place = offset | 0;
    if (((words[place >>> 5] as number) & (1 << (place & 31))) !== 0) found[rows++] = row;
  }
  return rows;
}

function selectDense(
  words: Uint32Array,
  low: number,
  keys: Float64Array,
  count: number,
  found: Uint32Array,
): number {
  const range = words.length * 32;
  let rows = 0;
  for (let row = 0; row < count; row++) {
    const offset = (keys[row] as number) - low;
    if (!(offset >= 0 && offset < range)) continue;
    const place = offset | 0;
    if (((words[place >>> 5] as number) & (1 << (place & 31))) !== 0) found[rows++] = row;
  }
  return rows;
}
