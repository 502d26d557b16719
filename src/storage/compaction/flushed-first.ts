/**
 * Keeps L0 SSTables the newest runs. An L0 SSTable below a compacted run counts as a tier. Otherwise an L0 compaction, which assumes that
 * its inputs are adjacent, would move it past newer runs.
 */

import { levels } from '../manifest/levels.ts';
import type { RunEntry } from '../manifest/manifest.ts';

/** Returns `runs`, newest first, with L0 runs that are older than a compacted one marked as tiers. */
export function flushedFirst(runs: readonly RunEntry[]): readonly RunEntry[] {
  const newestMerged = runs.findIndex(({ level }) => level !== levels.flushed);
  return newestMerged < 0 ? runs : tiersFrom(runs, newestMerged);
}

/** Returns `runs` with L0 runs from the one at `from` on marked as tiers. */
export function tiersFrom(runs: readonly RunEntry[], from: number): readonly RunEntry[] {
  return runs.map((run, i) =>
    i >= from && run.level === levels.flushed ? { ...run, level: levels.tier } : run,
  );
}
