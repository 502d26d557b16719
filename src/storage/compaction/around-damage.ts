/** Adapts the tree to unreadable SSTables: runs newer than them are still compacted; they and older runs stay unchanged. */

import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import { wholeRun } from '../manifest/run-part.ts';
import { tiersFrom } from './flushed-first.ts';

/** Returns the runs that can be compacted without moving past a damaged SSTable. */
export function newerThanDamage(
  runs: readonly RunEntry[],
  damaged: ReadonlySet<string>,
): readonly RunEntry[] {
  const isDamaged = ({ name }: TableEntry): boolean => damaged.has(name);
  const at = runs.findIndex((run) => {
    const { tables, past } = wholeRun(run);
    return tables.some(isDamaged) || past.some(isDamaged);
  });
  return at < 0 ? runs : runs.slice(0, at);
}

/** Marks L0 SSTables from the damaged one on as tiers, so that they trigger no L0 compaction and do not block flushes. */
export function setAside(
  runs: readonly RunEntry[],
  damaged: ReadonlySet<string>,
): readonly RunEntry[] {
  return tiersFrom(runs, newerThanDamage(runs, damaged).length);
}
