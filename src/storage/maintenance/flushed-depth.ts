/** How many flushed tables a point read may have to ask at worst. */

import { compareBytes } from '#base';
import type { Run } from '../manifest/manifest.ts';

/** The most runs of which some key may be in. */
export function depthOf(runs: readonly Run[]): number {
  const tables = runs.flatMap((run) => run.tables);
  let deepest = 0;
  // Where the depth is greatest, a table begins.
  for (const { smallest } of tables) {
    const covering = tables.filter(
      (table) =>
        compareBytes(table.smallest, smallest) <= 0 && compareBytes(table.largest, smallest) >= 0,
    );
    deepest = Math.max(deepest, covering.length);
  }
  return deepest;
}
