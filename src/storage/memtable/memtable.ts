/** The newest entries in memory: every version of every key written since the last flush. */

import { afterKey, invariant } from '#base';
import type { KeyBatch } from '../contract/key-batch.ts';
import type { Direction, KeyRange } from '../contract/store.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import { findEach } from '../cursor/find-each.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { Lookup } from '../cursor/lookup.ts';
import type { CursorSource, KeyNeighborhood } from '../cursor/source.ts';
import { type EntrySpan, spanOf } from '../key/entry-span.ts';
import { HashPair, hashKey } from '../key/key-hash.ts';
import { Entries } from './entries.ts';
import { MemtableWalk } from './entry-walk.ts';
import { KeyIndex } from './key-index.ts';
import { KeyOrder } from './key-order.ts';
import { MemtableCursor } from './memtable-cursor.ts';

export class Memtable implements CursorSource {
  private readonly content = new Entries();
  private readonly index = new KeyIndex();
  private readonly order = new KeyOrder(this.content);
  private readonly hash = new HashPair();
  /** Number of distinct keys, and of their versions. */
  keys = 0;
  entries = 0;
  /** Bounds of the sequences of the entries; 0 if there are none. */
  sequenceMin = 0;
  sequenceMax = 0;
  isFrozen = false;

  /** Memory in use in bytes: keys and values with their heads, index and order. */
  get bytes(): number {
    return this.content.bytes + this.index.bytes + this.order.bytes;
  }

  /** Bytes of keys and values with their heads: approximately the size of the SSTables of a flush. */
  get contentBytes(): number {
    return this.content.bytes;
  }

  /** Inserts a copy of the entry. The sequences of a key must not decrease; of two entries with the same sequence, the later one wins. */
  put(key: Uint8Array, value: Uint8Array, sequence: number): void {
    this.insert(spanOf(key, value), sequence);
  }

  delete(key: Uint8Array, sequence: number): void {
    this.insert(spanOf(key, undefined), sequence);
  }

  /** Inserts an entry like `put` or `delete`. */
  insert(entry: EntrySpan, sequence: number): void {
    invariant(!this.isFrozen, 'a frozen memtable accepts no entry');
    hashKey(entry.key, entry.keyFrom, entry.keyTo, this.hash);
    let chainHead = this.index.findSpan(this.hash.first, entry, this.content);
    if (chainHead === 0) {
      chainHead = this.content.addFirst(entry, sequence);
      this.index.add(this.hash.first, chainHead);
      this.order.add(chainHead);
      this.keys++;
    } else {
      this.content.addVersion(chainHead, sequence, entry);
    }
    if (this.entries === 0 || sequence < this.sequenceMin) this.sequenceMin = sequence;
    if (sequence > this.sequenceMax) this.sequenceMax = sequence;
    this.entries++;
  }

  /** Freezes the memtable: no insert may follow, and `versions` and `walk` may be called. */
  freeze(): void {
    this.isFrozen = true;
    this.order.settle();
  }

  find(lookup: Lookup): boolean {
    const chainHead = this.index.find(lookup.hash.first, lookup.key, this.content);
    if (chainHead === 0) return false;
    const version = this.content.visible(chainHead, lookup.snapshot);
    if (version === 0) return false;
    this.content.showVersion(version, lookup);
    return true;
  }

  findAll(batch: KeyBatch, from: number, to: number): undefined {
    findEach(this, batch, from, to);
  }

  /** Entries that are inserted later are invisible to current readers. */
  near(key: Uint8Array, around: KeyNeighborhood): this | undefined {
    if (this.keys === 0) return undefined;
    if (around.gaps === 'none') return this;
    // The scan of a range would merge the tail.
    if (around.gaps === 'in memory') this.order.settleFor({ from: key, to: afterKey(key) });
    return this.order.gapAround(key, around) ? undefined : this;
  }

  scan(range: KeyRange, direction: Direction, snapshot: number): InternalCursor {
    this.order.settleFor(range);
    const cursor = new MemtableCursor(this.content, this.order, range, direction, snapshot);
    return cursor.isEmpty ? emptyCursor : cursor;
  }

  /** Returns the number of keys in the range, regardless of their versions. */
  entriesIn({ from, to }: KeyRange): number {
    this.order.settle();
    const end = to === undefined ? this.keys : this.order.rankOf(to);
    return Math.max(0, end - this.order.rankOf(from));
  }

  walk(): MemtableWalk {
    invariant(this.isFrozen, 'a memtable is handed over only after it is frozen');
    return new MemtableWalk(this.content, this.order);
  }

  versions(range: KeyRange): InternalCursor {
    invariant(this.isFrozen, 'all versions are read from a frozen memtable');
    return new MemtableCursor(this.content, this.order, range, 'forward', 'every version');
  }
}
