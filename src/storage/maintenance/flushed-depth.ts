/** The largest number of flushed SSTables that a point read may have to search. */

import { compareBytes } from '#base';
import type { RunEntry } from '../manifest/manifest.ts';

/** Returns the largest number of runs whose key ranges include the same key. */
export function depthOf(runs: readonly RunEntry[]): number {
  const tables = runs.flatMap((run) => run.tables);
  let deepest = 0;
  // The maximum is reached at the smallest key of some SSTable.
  for (const { smallest } of tables) {
    const covering = tables.filter(
      (table) =>
        compareBytes(table.smallest, smallest) <= 0 && compareBytes(table.largest, smallest) >= 0,
    );
    deepest = Math.max(deepest, covering.length);
  }
  return deepest;
}
