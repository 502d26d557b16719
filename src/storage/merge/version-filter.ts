/**
 * Decides which versions a merge retains, and where: the newest of all in its run, and for each live
 * snapshot the newest one at or below it in the past run.
 */

import { compareRanges } from '#base';
import type { InternalCursor, StoredEntry } from '../cursor/internal-cursor.ts';
import { spanOf } from '../key/entry-span.ts';

/** The run of the merge, its past run, or neither. */
type Place = 'run' | 'past' | 'nowhere';

export class VersionFilter {
  /** Sequences in ascending order. Later snapshots see only the newest versions. */
  private readonly snapshots: readonly number[];
  private readonly isBottom: boolean;
  /** Entries up to this sequence are visible to every current and later snapshot. */
  private readonly oldest: number;
  private key = new Uint8Array(64);
  private keyLength = -1;
  /**
   * The lowest previous sequence of the same key, mostly that of the previous version. Ingested
   * versions, however, are older than versions with lower sequences.
   */
  private newer = Infinity;
  /** Sequence of the newest version if it is a tombstone that was not placed; -1 if it is not. */
  private heldTombstone = -1;
  /** The last entry has another key than the one before it. */
  isNewKey = false;
  /** Views from this sequence on do not see the entry that was last placed in the past run. */
  supersededAt = 0;

  constructor(snapshots: readonly number[], isBottom: boolean) {
    this.snapshots = snapshots.toSorted((a, b) => a - b);
    this.oldest = this.snapshots[0] ?? Infinity;
    this.isBottom = isBottom;
  }

  /** Determines whether `entry` begins a key. Call it for each entry before `place`. */
  begin(entry: InternalCursor): void {
    const { key, keyFrom, keyTo } = entry;
    this.isNewKey =
      this.keyLength < 0 || compareRanges(this.key, 0, this.keyLength, key, keyFrom, keyTo) !== 0;
    if (!this.isNewKey) return;
    this.keyLength = keyTo - keyFrom;
    if (this.key.length < this.keyLength) this.key = new Uint8Array(2 * this.keyLength);
    for (let i = 0; i < this.keyLength; i++) this.key[i] = key[keyFrom + i] as number;
  }

  /** Returns where `entry` belongs. The entries of a key must come newest first. */
  place({ sequence, isTombstone }: InternalCursor): Place {
    if (this.isNewKey) return this.placeNewest(sequence, isTombstone);
    const { newer } = this;
    const isSeen = this.isSeenBelow(sequence, newer);
    this.newer = Math.min(newer, sequence);
    if (!isSeen || (isTombstone && this.isSettled(sequence))) return 'nowhere';
    this.supersededAt = newer;
    return 'past';
  }

  /**
   * Returns the tombstone that must precede the entry that `place` has put in the past run, once;
   * `undefined` if there is none. Without it, views above it would see that entry.
   */
  takeTombstone(): StoredEntry | undefined {
    if (this.heldTombstone < 0) return undefined;
    const sequence = this.heldTombstone;
    this.heldTombstone = -1;
    return { ...spanOf(this.key.subarray(0, this.keyLength), undefined), sequence };
  }

  /**
   * Returns true if the entry is at the bottom level and every snapshot sees it. The sequence of
   * the entry is irrelevant then.
   */
  isSettled(sequence: number): boolean {
    return this.isBottom && sequence <= this.oldest;
  }

  /** There is no data below the bottom level that a tombstone would have to hide, except past versions. */
  private placeNewest(sequence: number, isTombstone: boolean): Place {
    this.newer = sequence;
    this.heldTombstone = -1;
    if (!isTombstone || !this.isBottom) return 'run';
    if (!this.isSettled(sequence)) this.heldTombstone = sequence;
    return 'nowhere';
  }

  /** Returns true if a snapshot is in [sequence, newer). */
  private isSeenBelow(sequence: number, newer: number): boolean {
    let low = 0;
    let high = this.snapshots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.snapshots[middle] as number) < sequence) low = middle + 1;
      else high = middle;
    }
    const snapshot = this.snapshots[low];
    return snapshot !== undefined && snapshot < newer;
  }
}
