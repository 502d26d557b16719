/** Point reads and scans over all sources of a read view, which are listed newest first. */

import type { Pending } from '#base';
import type { KeyBatch } from '../contract/key-batch.ts';
import type { Direction, EntryCursor, KeyRange } from '../contract/store.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import { emptyCursor } from './empty-cursor.ts';
import type { InternalCursor } from './internal-cursor.ts';
import { LiveCursor } from './live-cursor.ts';
import type { Lookup } from './lookup.ts';
import { MergeCursor } from './merge-cursor.ts';
import type { CursorSource, VersionSource } from './source.ts';

/**
 * Returns whether a source has a visible version, and puts the newest one into `lookup`. A tombstone means that the key is absent. Returns
 * a promise if a source has to wait.
 */
export function findNewest(
  sources: readonly CursorSource[],
  lookup: Lookup,
  from = 0,
): boolean | Promise<boolean> {
  for (let i = from; i < sources.length; i++) {
    const found = (sources[i] as CursorSource).find(lookup);
    if (found === true) return true;
    if (found !== false) return findLater(sources, lookup, i, found);
  }
  return false;
}

async function findLater(
  sources: readonly CursorSource[],
  lookup: Lookup,
  at: number,
  found: Promise<boolean>,
): Promise<boolean> {
  return (await found) || findNewest(sources, lookup, at + 1);
}

/** Answers the open keys [from, to) of `batch`. After a wait, call it again. */
export function findAllNewest(
  sources: readonly CursorSource[],
  batch: KeyBatch,
  from: number,
  to: number,
): Pending | undefined {
  for (let i = 0; i < sources.length && batch.hasOpen; i++) {
    const wait = (sources[i] as CursorSource).findAll(batch, from, to);
    if (wait !== undefined) return wait;
  }
  for (let i = from; i < Math.min(to, batch.end); i++) if (batch.isOpen(i)) batch.answerAbsent(i);
  return undefined;
}

/** Returns a cursor over the entries that a reader at `snapshot` sees. See `Source.scan` for valid values of `snapshot`, and for `spare`. */
export function scanNewest(
  sources: readonly CursorSource[],
  range: KeyRange,
  direction: Direction,
  snapshot: number,
  bounds?: readonly ZoneBound[],
  spare?: InternalCursor,
): EntryCursor {
  if (sources.length === 1) {
    const [only] = sources;
    const cursor = (only as CursorSource).scan(range, direction, snapshot, bounds, spare);
    return cursor === emptyCursor ? emptyCursor : new LiveCursor(cursor);
  }
  const cursors: InternalCursor[] = [];
  let oldest: CursorSource | undefined;
  for (const source of sources) {
    const cursor = source.scan(range, direction, snapshot);
    if (cursor === emptyCursor) continue;
    cursors.push(cursor);
    oldest = source;
  }
  // Only the oldest source may skip entries by bounds: an entry skipped in a newer source would expose older versions of its key.
  if (oldest !== undefined && bounds !== undefined && bounds.length > 0) {
    cursors[cursors.length - 1] = oldest.scan(range, direction, snapshot, bounds);
  }
  if (cursors.length === 0) return emptyCursor;
  if (cursors.length === 1) return new LiveCursor(cursors[0] as InternalCursor);
  return new MergeCursor(cursors, direction === 'forward', 'newest');
}

/** Returns a cursor over every version in `range`: keys ascending, newest version first within a key. */
export function mergeVersions(sources: readonly VersionSource[], range: KeyRange): InternalCursor {
  const cursors = sources.map((source) => source.versions(range));
  if (cursors.length === 1) return cursors[0] as InternalCursor;
  return new MergeCursor(cursors, true, 'every version');
}
