/**
 * Decides which versions a merge retains: the newest of all, and for each live snapshot the newest
 * one at or below it.
 */

import { compareRanges } from '#base';
import type { InternalCursor } from '../cursor/internal-cursor.ts';

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
  /** The last entry has another key than the one before it. */
  isNewKey = false;

  constructor(snapshots: readonly number[], isBottom: boolean) {
    this.snapshots = snapshots.toSorted((a, b) => a - b);
    this.oldest = this.snapshots[0] ?? Infinity;
    this.isBottom = isBottom;
  }

  /** Determines whether `entry` begins a key. Call it for each entry before `keeps`. */
  begin(entry: InternalCursor): void {
    const { key, keyFrom, keyTo } = entry;
    this.isNewKey =
      this.keyLength < 0 || compareRanges(this.key, 0, this.keyLength, key, keyFrom, keyTo) !== 0;
    if (!this.isNewKey) return;
    this.keyLength = keyTo - keyFrom;
    if (this.key.length < this.keyLength) this.key = new Uint8Array(2 * this.keyLength);
    for (let i = 0; i < this.keyLength; i++) this.key[i] = key[keyFrom + i] as number;
  }

  /** Returns true if a snapshot sees `entry`. The entries of a key must come newest first. */
  keeps(entry: InternalCursor): boolean {
    const { sequence } = entry;
    const isSeen = this.isNewKey || this.isSeenBelow(sequence, this.newer);
    this.newer = this.isNewKey ? sequence : Math.min(this.newer, sequence);
    if (!isSeen) return false;
    // There is no data below the bottom level that the tombstone would have to hide.
    return !(entry.isTombstone && this.isSettled(sequence));
  }

  /**
   * Returns true if the entry is at the bottom level and every snapshot sees it. The sequence of
   * the entry is irrelevant then.
   */
  isSettled(sequence: number): boolean {
    return this.isBottom && sequence <= this.oldest;
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
