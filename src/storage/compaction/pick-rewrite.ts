/** Chooses an SSTable to rewrite without its dropped keys, when no other compaction is due. */

import { levels } from '../manifest/levels.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import type { CompactionJob } from './job.ts';
import { partOver } from './past.ts';

/** A smaller SSTable is rewritten however little is freed. */
const smallBytes = 4 << 20;
/** Share of a larger SSTable that must become free. A smaller share is freed when the SSTable is compacted anyway. */
const shareMin = 1 / 8;

/** An SSTable that contains dropped keys. */
export interface TableWithDroppedKeys {
  readonly entry: TableEntry;
  /** Approximate number of its bytes that belong to dropped keys. */
  readonly droppedBytes: number;
}

/** Returns a job for the first SSTable of `runs` that is worth rewriting; `undefined` if none is. */
export function pickRewrite(
  runs: readonly RunEntry[],
  candidates: readonly TableWithDroppedKeys[],
): CompactionJob | undefined {
  for (const { entry, droppedBytes } of candidates) {
    if (entry.bytes > smallBytes && droppedBytes < shareMin * entry.bytes) continue;
    const run = runs.find(({ tables }) => tables.includes(entry));
    if (run !== undefined) return rewriteOf(run, entry);
  }
  return undefined;
}

function rewriteOf(run: RunEntry, { smallest, largest }: TableEntry): CompactionJob {
  const { level } = run;
  const { tables, past } = partOver(run, smallest, largest);
  return {
    kind: 'rewrite',
    inputs: [tables],
    past: [past],
    range: { from: new Uint8Array(), to: undefined },
    level,
    isBottom: level === levels.bottom,
    stopAfterBytes: undefined,
  };
}
