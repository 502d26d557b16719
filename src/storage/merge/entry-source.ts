/** Sorted entries in memory as a source of a merge. All have the same sequence. */

import { compareRanges, firstIndex } from '#base';
import { type SortedEntries, wordsOfEntry } from '../contract/sorted-entries.ts';
import type { KeyRange } from '../contract/store.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { VersionSource } from '../cursor/source.ts';

const nothing = new Uint8Array(0);

export class EntrySource implements VersionSource {
  private readonly entries: SortedEntries;
  private readonly sequence: number;

  constructor(entries: SortedEntries, sequence: number) {
    this.entries = entries;
    this.sequence = sequence;
  }

  versions({ from, to }: KeyRange): InternalCursor {
    const end = to === undefined ? this.entries.order.length : this.firstFrom(to);
    return new EntriesCursor(this.entries, this.sequence, this.firstFrom(from), end);
  }

  /** Returns the first index in the order whose key is not below `key`. */
  private firstFrom(key: Uint8Array): number {
    const { pieces, places, order } = this.entries;
    return firstIndex(0, order.length, (index) => {
      const at = wordsOfEntry * (order[index] as number);
      const piece = pieces[places[at] as number] as Uint8Array;
      const [keyFrom, keyTo] = [places[at + 1] as number, places[at + 2] as number];
      return compareRanges(piece, keyFrom, keyTo, key, 0, key.length) >= 0;
    });
  }
}

class EntriesCursor implements InternalCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence: number;
  readonly isTombstone = false;
  private readonly entries: SortedEntries;
  private at: number;
  private end: number;

  constructor(entries: SortedEntries, sequence: number, from: number, end: number) {
    this.entries = entries;
    this.sequence = sequence;
    this.at = from;
    this.end = end;
  }

  next(): boolean {
    if (this.at >= this.end) return false;
    const { pieces, places, order } = this.entries;
    const place = wordsOfEntry * (order[this.at++] as number);
    const piece = pieces[places[place] as number] as Uint8Array;
    this.key = piece;
    this.keyFrom = places[place + 1] as number;
    this.keyTo = places[place + 2] as number;
    this.value = piece;
    this.valueFrom = this.keyTo;
    this.valueTo = places[place + 3] as number;
    return true;
  }

  close(): void {
    this.end = 0;
  }
}
