/** Answers the keys of a batch one after the other, for a source in memory. */

import type { KeyBatch } from '../contract/key-batch.ts';
import { Lookup } from './lookup.ts';

/** Shared, because such a source never waits. */
const lookup = new Lookup();

/** Answers the open keys [from, to) of `batch` that `source` contains. */
export function findEach(
  source: { find(lookup: Lookup): boolean },
  batch: KeyBatch,
  from: number,
  to: number,
): void {
  for (let i = from; i < Math.min(to, batch.end); i++) {
    if (!batch.isOpen(i)) continue;
    if (!source.find(lookup.ask(batch.keys[i] as Uint8Array, batch.snapshot))) continue;
    if (lookup.isTombstone) batch.answerAbsent(i);
    else batch.answerBody(i, lookup);
  }
}
