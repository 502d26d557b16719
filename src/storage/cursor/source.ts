/**
 * What a read view is merged from: a memtable, a table, or a run of tables. Sources are always listed newest first.
 *
 * A *source* answers point reads and opens *internal cursors*, which carry version and deletion. The cursor of a source shows at most one
 * version of a key, the newest visible one, so that merging only has to prefer newer sources. `findNewest` answers a point read over
 * sources, `scanNewest` is the public cursor of a snapshot, `mergeVersions` feeds merges. Everything is polled: a `Pending` means ask the
 * same again later.
 */

import type { Direction, KeyRange, RemoteReads } from '../contract/store.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import type { InternalCursor } from './internal-cursor.ts';
import type { Lookup } from './lookup.ts';

/** What a merge reads. */
export interface VersionSource {
  /** Every version, keys ascending, and newest first within a key. Not for a source that still takes inserts. */
  versions(range: KeyRange): InternalCursor;
  /** All versions in the same order, as words, of a source whose entries lie in memory. */
  walk?(): EntryWalk;
}

export interface EntryWalk {
  /** No entry comes any more. */
  readonly isDone: boolean;
  /**
   * Copies the next entry to `target[at]`, and returns where it ends; where it has no room, it stays the next one, and the number of words that it takes is
   * returned below zero. An entry is: length of the key, key; a word without meaning, sequence, low, and high with the deletion flag on top, length of the
   * value, value. Lengths are in bytes; key and value are filled up to whole words.
   */
  copy(target: Uint32Array, at: number): number;
}

/** As `RemoteReads`, of one source. */
export type RemoteBlocks = Omit<RemoteReads, 'micros'>;

/** Keys around one, for which sources say what holds for that one. Each draws the ends closer. */
export interface Surroundings {
  /** Gaps between the keys of one source are worth a look for them. */
  readonly isFine: boolean;
  /** Keys below `key` are outside. */
  startFrom(key: Uint8Array): void;
  startAfter(key: Uint8Array): void;
  /** `key`, and keys above it, are outside. */
  endBefore(key: Uint8Array): void;
  endAfter(key: Uint8Array): void;
}

export interface Source extends VersionSource {
  /**
   * True: the newest version at or below the snapshot is in `lookup`, a deletion included. False: this source has none. Until a promise
   * has resolved `lookup` is in use.
   */
  find(lookup: Lookup): boolean | Promise<boolean>;
  /**
   * The source that answers for `key` and its neighbours in the place of this one; undefined when nothing visible of them is here. Draws the ends of
   * `around` closer to where that holds.
   */
  near(key: Uint8Array, around: Surroundings): Source | undefined;
  /**
   * At most one entry a key: its newest version at or below `snapshot`, a deletion included. `snapshot` must not be above the newest
   * sequence applied when the cursor is opened: later inserts are then invisible, and the cursor stays right while they go on.
   * With `bounds`, keys may be left out of which no version is within all of them: only where no older source has versions of theirs.
   */
  scan(
    range: KeyRange,
    direction: Direction,
    snapshot: number,
    bounds?: readonly ZoneBound[],
  ): InternalCursor;
  /** About how many entries, versions and deletions among them, the range holds; waits for nothing. */
  entriesIn(range: KeyRange): number;
  /** Undefined, or absent: what the range holds is on this machine. */
  remoteIn?(range: KeyRange): RemoteBlocks | undefined;
}
