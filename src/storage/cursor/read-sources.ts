/** Point reads and scans over all sources of a read view, listed newest first. */

import type { Direction, EntryCursor, KeyRange } from '../contract/store.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import { emptyCursor } from './empty-cursor.ts';
import type { InternalCursor } from './internal-cursor.ts';
import { LiveCursor } from './live-cursor.ts';
import type { Lookup } from './lookup.ts';
import { MergeCursor } from './merge-cursor.ts';
import type { Source, VersionSource } from './source.ts';

/** True: `lookup` holds the newest visible version; a deletion means absent. A promise goes on where it had to wait. */
export function findNewest(
  sources: readonly Source[],
  lookup: Lookup,
  from = 0,
): boolean | Promise<boolean> {
  for (let i = from; i < sources.length; i++) {
    const found = (sources[i] as Source).find(lookup);
    if (found === true) return true;
    if (found !== false) return findLater(sources, lookup, i, found);
  }
  return false;
}

async function findLater(
  sources: readonly Source[],
  lookup: Lookup,
  at: number,
  found: Promise<boolean>,
): Promise<boolean> {
  return (await found) || findNewest(sources, lookup, at + 1);
}

/** What a reader at `snapshot` sees; see `Source.scan` for what `snapshot` may be. */
export function scanNewest(
  sources: readonly Source[],
  range: KeyRange,
  direction: Direction,
  snapshot: number,
  bounds?: readonly ZoneBound[],
): EntryCursor {
  const cursors: InternalCursor[] = [];
  let oldest: Source | undefined;
  for (const source of sources) {
    const cursor = source.scan(range, direction, snapshot);
    if (cursor === emptyCursor) continue;
    cursors.push(cursor);
    oldest = source;
  }
  // What a newer source left out would show what lies below it.
  if (oldest !== undefined && bounds !== undefined && bounds.length > 0) {
    cursors[cursors.length - 1] = oldest.scan(range, direction, snapshot, bounds);
  }
  if (cursors.length === 0) return emptyCursor;
  if (cursors.length === 1) return new LiveCursor(cursors[0] as InternalCursor);
  return new MergeCursor(cursors, direction === 'forward', 'newest');
}

/** Every version in `range`, keys ascending, newest first within a key. */
export function mergeVersions(sources: readonly VersionSource[], range: KeyRange): InternalCursor {
  const cursors = sources.map((source) => source.versions(range));
  if (cursors.length === 1) return cursors[0] as InternalCursor;
  return new MergeCursor(cursors, true, 'every version');
}
