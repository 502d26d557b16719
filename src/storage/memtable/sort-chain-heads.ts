/** Sorts chain heads by key: ascending runs, or insertion-sorted ones of 8, are merged bottom-up. Uses typed arrays only and no callback per comparison. */

import type { Entries } from './entries.ts';

const runLength = 8;

/** Sorts `chainHeads[0, count)`. `scratch` must have at least `count` elements. */
export function sortChainHeads(
  chainHeads: Uint32Array,
  count: number,
  scratch: Uint32Array,
  entries: Entries,
): void {
  for (let from = 0; from < count; from += runLength) {
    sortRun(chainHeads, from, Math.min(from + runLength, count), entries);
  }
  let source = chainHeads;
  let target = scratch;
  for (let width = runLength; width < count; width *= 2) {
    for (let from = 0; from < count; from += 2 * width) {
      mergeRuns(
        source,
        target,
        from,
        Math.min(from + width, count),
        Math.min(from + 2 * width, count),
        entries,
      );
    }
    [source, target] = [target, source];
  }
  if (source !== chainHeads) chainHeads.set(source.subarray(0, count));
}

/** Sorts chain heads that consist of ascending runs. `bounds` has the start of each run, and the end of the last one. */
export function mergeChainHeads(
  chainHeads: Uint32Array,
  bounds: readonly number[],
  scratch: Uint32Array,
  entries: Entries,
): void {
  let ends = bounds;
  let source = chainHeads;
  let target = scratch;
  while (ends.length > 2) {
    const merged = [0];
    for (let run = 0; run + 1 < ends.length; run += 2) {
      const from = ends[run] as number;
      const middle = ends[run + 1] as number;
      const to = ends[run + 2] ?? middle;
      mergeRuns(source, target, from, middle, to, entries);
      merged.push(to);
    }
    ends = merged;
    [source, target] = [target, source];
  }
  if (source !== chainHeads) chainHeads.set(source);
}

function sortRun(chainHeads: Uint32Array, from: number, to: number, entries: Entries): void {
  for (let i = from + 1; i < to; i++) {
    const chainHead = chainHeads[i] as number;
    let at = i;
    while (at > from && entries.compare(chainHeads[at - 1] as number, chainHead) > 0) {
      chainHeads[at] = chainHeads[at - 1] as number;
      at--;
    }
    chainHeads[at] = chainHead;
  }
}

/** Merges [from, middle) and [middle, to) of `source` into the same range of `target`. */
function mergeRuns(
  source: Uint32Array,
  target: Uint32Array,
  from: number,
  middle: number,
  to: number,
  entries: Entries,
): void {
  // Keys that arrived in order are usually in order across both parts.
  if (middle >= to || entries.compare(source[middle - 1] as number, source[middle] as number) < 0) {
    target.set(source.subarray(from, to), from);
    return;
  }
  let left = from;
  let right = middle;
  for (let at = from; at < to; at++) {
    const takesLeft =
      right >= to ||
      (left < middle && entries.compare(source[left] as number, source[right] as number) < 0);
    target[at] = source[takesLeft ? left++ : right++] as number;
  }
}
