/** Chooses an SSTable to rewrite without its dropped keys, when no other compaction is due. */

import { levels } from '../manifest/levels.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { CompactionJob } from './job.ts';

/** A smaller SSTable is rewritten however little is freed. */
const smallBytes = 4 << 20;
/** Share of a larger SSTable that must become free. A smaller share is freed when the SSTable is compacted anyway. */
const shareMin = 1 / 8;

/** An SSTable that contains dropped keys. */
export interface TableWithDroppedKeys {
  readonly entry: TableEntry;
  readonly level: number;
  /** Approximate number of its bytes that belong to dropped keys. */
  readonly droppedBytes: number;
}

/** Returns a job for the first SSTable that is worth rewriting; `undefined` if none is. */
export function pickRewrite(tables: readonly TableWithDroppedKeys[]): CompactionJob | undefined {
  const picked = tables.find(
    ({ entry, droppedBytes }) =>
      entry.bytes <= smallBytes || droppedBytes >= shareMin * entry.bytes,
  );
  if (picked === undefined) return undefined;
  const { entry, level } = picked;
  return {
    kind: 'rewrite',
    inputs: [[entry]],
    range: { from: entry.smallest, to: undefined },
    level,
    isBottom: level === levels.bottom,
    stopAfterBytes: undefined,
  };
}
