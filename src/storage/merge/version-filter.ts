/** Decides which versions a merge keeps: for each live snapshot the newest one at or below it, and the newest of all. */

import { compareRanges } from '#base';
import type { InternalCursor } from '../cursor/internal-cursor.ts';

export class VersionFilter {
  /** Ascending. Snapshots that are taken later see the newest versions only. */
  private readonly snapshots: readonly number[];
  private readonly isBottom: boolean;
  /** Entries up to here are seen by every snapshot, now and later. */
  private readonly oldest: number;
  private key = new Uint8Array(64);
  private keyLength = -1;
  /** The lowest sequence before, of the same key: mostly that of the version before, but what an ingestion has added is older than versions of lower ones. */
  private newer = Infinity;
  /** The entry that was judged last has another key than the one before it. */
  isNewKey = false;

  constructor(snapshots: readonly number[], isBottom: boolean) {
    this.snapshots = snapshots.toSorted((a, b) => a - b);
    this.oldest = this.snapshots[0] ?? Infinity;
    this.isBottom = isBottom;
  }

  /** To be called before `keeps` for each entry: tells whether a key begins. */
  begin(entry: InternalCursor): void {
    const { key, keyFrom, keyTo } = entry;
    this.isNewKey =
      this.keyLength < 0 || compareRanges(this.key, 0, this.keyLength, key, keyFrom, keyTo) !== 0;
    if (!this.isNewKey) return;
    this.keyLength = keyTo - keyFrom;
    if (this.key.length < this.keyLength) this.key = new Uint8Array(2 * this.keyLength);
    for (let i = 0; i < this.keyLength; i++) this.key[i] = key[keyFrom + i] as number;
  }

  /** Whether some snapshot sees `entry`. Entries come newest first within a key. */
  keeps(entry: InternalCursor): boolean {
    const { sequence } = entry;
    const isSeen = this.isNewKey || this.isSeenBelow(sequence, this.newer);
    this.newer = this.isNewKey ? sequence : Math.min(this.newer, sequence);
    if (!isSeen) return false;
    // Nothing lies below the bottom that the deletion would have to hide.
    return !(entry.isDelete && this.isSettled(sequence));
  }

  /** At the bottom, and seen by every snapshot: its sequence tells nothing any more. */
  isSettled(sequence: number): boolean {
    return this.isBottom && sequence <= this.oldest;
  }

  /** Some snapshot lies in [sequence, newer). */
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
