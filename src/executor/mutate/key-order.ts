/** Sorts keys and finds repeated ones. */

import { compareBytes, equalBytes, type Steps } from '#base';
import type { Sequence } from '../batch/long-list.ts';
import { MergeSort } from '../operators/sort/merge-sort.ts';
import type { MutationContext } from './mutation-context.ts';

/** The members that a sort needs to yield and to account its memory. */
export type Sorting = Pick<MutationContext, 'pause' | 'hold' | 'release'>;

/** Returns the numbers of the keys in key order; equal keys keep their order. */
export function* keyOrder(
  mutationContext: MutationContext,
  keys: Sequence<Uint8Array>,
): Steps<Uint32Array> {
  if (yield* isAscending(mutationContext, keys)) return ownOrder(keys.length);
  return yield* sorted(mutationContext, keys.length, (left, right) =>
    compareBytes(keys.at(left) as Uint8Array, keys.at(right) as Uint8Array),
  );
}

/** Returns the numbers below `count` in the order of `compare`; equal ones keep their order. */
export function* sorted(
  sorting: Sorting,
  count: number,
  compare: (left: number, right: number) => number,
): Steps<Uint32Array> {
  sorting.hold(count * 8);
  const sort = new MergeSort(count, compare);
  for (;;) {
    const wait = sort.run((rows) => sorting.pause(rows));
    if (wait === undefined) break;
    yield wait;
  }
  sorting.release(count * 8);
  return sort.order;
}

/** Returns the distinct keys in key order. */
export function* distinctKeys(
  mutationContext: MutationContext,
  keys: Sequence<Uint8Array>,
): Steps<readonly Uint8Array[]> {
  const distinct: Uint8Array[] = [];
  const order = yield* keyOrder(mutationContext, keys);
  for (let i = 0; i < order.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const key = keys.at(order[i] as number) as Uint8Array;
    const last = distinct.at(-1);
    if (last === undefined || !equalBytes(last, key)) distinct.push(key);
  }
  return distinct;
}

/** Returns 0, 1, 2, …, without a yield: each takes about a nanosecond. */
export function ownOrder(count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  return order;
}

function* isAscending(
  mutationContext: MutationContext,
  keys: Sequence<Uint8Array>,
): Steps<boolean> {
  for (let i = 1; i < keys.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    if (compareBytes(keys.at(i - 1) as Uint8Array, keys.at(i) as Uint8Array) > 0) return false;
  }
  return true;
}
