/** Sorts entries by the heads of their keys, digit by digit: keys are compared only if their heads are equal. */

import type { Steps } from '#base';
import { insertionSort } from '../operators/sort/merge-sort.ts';
import { ownOrder, type Sorting, sorted } from './key-order.ts';

/** Fewer entries are merged: counting the digits takes as long as merging about this many entries. */
const countedMin = 512;
/** Fewer entries have digits of one byte instead of two, because there are fewer counts to clear and add up. */
const wideMin = 4096;
/** Bits of a head, and of its second part. */
const headBits = 48;
const lowBits = 16;
/** Number of entries between two pauses. Processing `rowsOfStep` rows takes the same time. */
const stepEntries = 16_384;
const rowsOfStep = 1024;
/** At most this many entries with equal heads are sorted by insertion. */
const fewEqual = 8;
/** Bytes of memory for each entry: two orders and a digit. */
const bytesOfEntry = 10;

type Compare = (left: number, right: number) => number;

/** Six bytes of each key as integers, by entry number: the first four, and the last two. */
interface Heads {
  readonly high: Uint32Array;
  readonly low: Uint16Array;
}

/** Bytes of a head, and of its first part. */
export const headBytes = 6;
export const highBytes = 4;

export function newHeads(count: number): Heads {
  return { high: new Uint32Array(count), low: new Uint16Array(count) };
}

/** Returns the numbers of the entries in the order of `compare`, which must agree with the heads; equal ones keep their order. */
export function* sortedByHead(
  sorting: Sorting,
  heads: Heads,
  compare: Compare,
): Steps<Uint32Array> {
  if (heads.low.length < countedMin) return yield* sorted(sorting, heads.low.length, compare);
  const bytes = heads.low.length * bytesOfEntry;
  sorting.hold(bytes);
  let order: Uint32Array = ownOrder(heads.low.length);
  let other: Uint32Array = new Uint32Array(heads.low.length);
  const digitsOf = new Uint16Array(heads.low.length);
  const bits = heads.low.length < wideMin ? 8 : 16;
  for (let shift = 0; shift < headBits; shift += bits) {
    const starts = yield* countDigits(sorting, heads, { shift, bits }, digitsOf);
    if (starts === undefined) continue;
    yield* place(sorting, { order, digitsOf, starts }, other);
    [order, other] = [other, order];
  }
  yield* sortEqual(sorting, heads, order, compare);
  sorting.release(bytes);
  return order;
}

/** A digit of a head: `bits` bits, after the `shift` lowest ones. */
interface Digit {
  readonly shift: number;
  readonly bits: number;
}

/** Writes the digit of each entry to `out`. Returns the first place of each digit; undefined if all entries have the same one. */
function* countDigits(
  sorting: Sorting,
  heads: Heads,
  digit: Digit,
  out: Uint16Array,
): Steps<Uint32Array | undefined> {
  const digits = 2 ** digit.bits;
  const counts = new Uint32Array(digits);
  const isLow = digit.shift < lowBits;
  const shift = isLow ? digit.shift : digit.shift - lowBits;
  const source = isLow ? heads.low : heads.high;
  yield* inSteps(sorting, source.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = ((source[i] as number) >>> shift) & (digits - 1);
      out[i] = value;
      counts[value] = (counts[value] as number) + 1;
    }
  });
  if (counts[out[0] as number] === heads.low.length) return undefined;
  let start = 0;
  for (let value = 0; value < digits; value++) {
    const count = counts[value] as number;
    counts[value] = start;
    start += count;
  }
  return counts;
}

interface Placing {
  readonly order: Uint32Array;
  readonly digitsOf: Uint16Array;
  /** The next place of each digit. */
  readonly starts: Uint32Array;
}

function place(
  sorting: Sorting,
  { order, digitsOf, starts }: Placing,
  out: Uint32Array,
): Steps<void> {
  return inSteps(sorting, order.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const entry = order[i] as number;
      const value = digitsOf[entry] as number;
      const at = starts[value] as number;
      starts[value] = at + 1;
      out[at] = entry;
    }
  });
}

/** Calls `step` for every part of [0, count), with pauses in between. The loop over a part is compiled, unlike a loop that yields. */
export function* inSteps(
  sorting: Pick<Sorting, 'pause'>,
  count: number,
  step: (from: number, to: number) => void,
): Steps<void> {
  for (let from = 0; from < count; from += stepEntries) {
    const pause = sorting.pause(rowsOfStep);
    if (pause !== undefined) yield pause;
    step(from, Math.min(count, from + stepEntries));
  }
}

/** Sorts the entries with equal heads, which follow each other in `order`. */
function* sortEqual(
  sorting: Sorting,
  heads: Heads,
  order: Uint32Array,
  compare: Compare,
): Steps<void> {
  for (let from = 0; from < order.length; ) {
    const pause = sorting.pause(rowsOfStep);
    if (pause !== undefined) yield pause;
    from = sortFew(heads, order, from, compare);
    if (from === order.length) return;
    const to = equalEnd(heads, order, from);
    const equal = order.slice(from, to);
    const byKey = (left: number, right: number) =>
      compare(equal[left] as number, equal[right] as number);
    const places = yield* sorted(sorting, equal.length, byKey);
    for (let i = 0; i < places.length; i++) order[from + i] = equal[places[i] as number] as number;
    from = to;
  }
}

/** Sorts groups of few entries with equal heads, from `start` on, for the time of a step. Returns the place of the next group, which may be large. */
function sortFew(heads: Heads, order: Uint32Array, start: number, compare: Compare): number {
  let from = start;
  const stop = Math.min(order.length, start + stepEntries);
  while (from < stop) {
    const to = equalEnd(heads, order, from);
    if (to - from > fewEqual) return from;
    if (to - from > 1) insertionSort(order, from, to, compare);
    from = to;
  }
  return from;
}

/** Returns the end of the entries with the same head as the one at `from`. */
function equalEnd(heads: Heads, order: Uint32Array, from: number): number {
  const { high, low } = heads;
  const first = order[from] as number;
  for (let to = from + 1; to < order.length; to++) {
    const entry = order[to] as number;
    if (high[entry] !== high[first] || low[entry] !== low[first]) return to;
  }
  return order.length;
}
