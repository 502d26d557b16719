/** Chooses a table to write anew without the dropped keys in it, when nothing else is due. */

import { levels } from '../manifest/levels.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { CompactionJob } from './job.ts';

/** A smaller table is written anew whatever it gains. */
const smallBytes = 4 << 20;
/** Of a larger one at least this share must become free; less goes when the table is merged anyway. */
const shareMin = 1 / 8;

/** A table that holds dropped keys. */
export interface Littered {
  readonly entry: TableEntry;
  readonly level: number;
  /** About how many of its bytes hold nothing else. */
  readonly droppedBytes: number;
}

/** The first table that is worth it; undefined without one. */
export function pickRewrite(tables: readonly Littered[]): CompactionJob | undefined {
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
