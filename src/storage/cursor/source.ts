/**
 * The sources that a read view merges: memtables, SSTables and sorted runs. Sources are always listed newest first.
 *
 * A *source* answers point reads and opens *internal cursors*, whose entries include the sequence and tombstones. The cursor of a source
 * shows at most one version of a key, the newest visible one, so that a merge only has to prefer newer sources. `findNewest` is the point
 * read over sources, `scanNewest` creates the public cursor of a snapshot, and `mergeVersions` feeds compactions. Everything is polled:
 * after a `Pending`, repeat the same call.
 */

import type { Pending } from '#base';
import type { KeyBatch } from '../contract/key-batch.ts';
import type { Direction, KeyRange, RemoteReads } from '../contract/store.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import type { InternalCursor } from './internal-cursor.ts';
import type { Lookup } from './lookup.ts';

/** The input of a compaction. */
export interface VersionSource {
  /** Returns every version: keys ascending, newest first within a key. The source must no longer accept inserts. */
  versions(range: KeyRange): InternalCursor;
  /** Returns all versions in the same order as words; only for a source whose entries are in memory. */
  walk?(): EntryWalk;
}

export interface EntryWalk {
  /** True after the last entry. */
  readonly isDone: boolean;
  /**
   * Copies the next entry to `target[at]` and returns its end. If `target` is too small, the entry remains the next one, and the negative
   * number of words that it needs is returned. An entry consists of the length of the key, and the key; an unused word, the low half of the
   * sequence, and the high half; the length of the value, and the value. The tombstone flag is the highest bit of the high half. Lengths
   * are in bytes. Key and value are padded to whole words.
   */
  copy(target: Uint32Array, at: number): number;
}

/** Remote reads of one source, like `RemoteReads`. */
export type RemoteBlocks = Omit<RemoteReads, 'micros'>;

/** Sources whose gaps between two keys are worth looking for. */
export type SearchedGaps = 'none' | 'in memory' | 'all';

/** A key range around a key in which the results of sources are known. Each source narrows it. */
export interface KeyNeighborhood {
  readonly gaps: SearchedGaps;
  /** Excludes keys below `key`. */
  startFrom(key: Uint8Array): void;
  startAfter(key: Uint8Array): void;
  /** Excludes `key` and the keys above it. */
  endBefore(key: Uint8Array): void;
  endAfter(key: Uint8Array): void;
}

export interface CursorSource extends VersionSource {
  /**
   * Puts the newest version at or below the snapshot into `lookup`, even a tombstone, and returns true. Returns false if the source has
   * none. `lookup` is in use until a returned promise resolves.
   */
  find(lookup: Lookup): boolean | Promise<boolean>;
  /**
   * Answers the open keys [from, to) of the batch that the source contains, with the newest version at or below the snapshot; a tombstone means
   * absent. May end the batch before `to`. After a wait, the same call answers the remaining keys.
   */
  findAll(batch: KeyBatch, from: number, to: number): Pending | undefined;
  /**
   * Returns the source to search for `key` and its neighbors instead of this one; `undefined` if nothing visible of them is here. Narrows
   * `around` to the keys for which that holds.
   */
  near(key: Uint8Array, around: KeyNeighborhood): CursorSource | undefined;
  /**
   * Returns a cursor with at most one entry per key: its newest version at or below `snapshot`, even a tombstone. `snapshot` must not be
   * above the newest sequence applied when the cursor is opened. Later inserts are then invisible and do not disturb the cursor. With
   * `bounds`, the cursor may skip keys without any version within all bounds. Bounds are allowed only if no older source has versions of
   * those keys. The source may return `spare`, a closed cursor of a source of the same view, for the new range.
   */
  scan(
    range: KeyRange,
    direction: Direction,
    snapshot: number,
    bounds?: readonly ZoneBound[],
    spare?: InternalCursor,
  ): InternalCursor;
  /** Returns the approximate number of entries in the range, including versions and tombstones, without waiting. */
  entriesIn(range: KeyRange): number;
  /** Returns the remote blocks of the range; `undefined` if all of its data is on this machine. */
  remoteIn?(range: KeyRange): RemoteBlocks | undefined;
}
