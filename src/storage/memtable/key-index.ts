/** An open-addressing hash of anchors, in 256 tables of their own so that growing one never stalls an insert for long. */

import type { EntrySpan } from '../key/entry-span.ts';
import type { Entries } from './entries.ts';

const tableCount = 256;
const slotsInitial = 16;
/** Of all tables that nothing was added to: most of them, in a memtable of few keys. */
const empty = new Uint32Array(2);

/** A table is pairs of words: hash, anchor. Anchor 0 is an empty slot. The hash's top byte picks the table, its low bits the slot. */
export class KeyIndex {
  private readonly tables = new Array<Uint32Array>(tableCount).fill(empty);
  private readonly counts = new Uint32Array(tableCount);
  bytes = 0;

  /** The anchor of `key`; 0 when there is none. */
  find(hash: number, key: Uint8Array, entries: Entries): number {
    const table = this.tables[hash >>> 24] as Uint32Array;
    const mask = table.length - 1;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const anchor = table[at + 1] as number;
      if (anchor === 0) return 0;
      if (table[at] === hash && entries.equalsKey(anchor, key)) return anchor;
    }
  }

  /** The anchor of the key of `entry`; 0 when there is none. */
  findSpan(hash: number, entry: EntrySpan, entries: Entries): number {
    const table = this.tables[hash >>> 24] as Uint32Array;
    const mask = table.length - 1;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const anchor = table[at + 1] as number;
      if (anchor === 0) return 0;
      if (table[at] === hash && entries.hasKey(anchor, entry)) return anchor;
    }
  }

  /** Adds an anchor whose key is not in the index. */
  add(hash: number, anchor: number): void {
    const which = hash >>> 24;
    const count = (this.counts[which] as number) + 1;
    this.counts[which] = count;
    let table = this.tables[which] as Uint32Array;
    if (count * 2 > table.length * 0.7) table = this.grow(which);
    place(table, hash, anchor);
  }

  private grow(which: number): Uint32Array {
    const old = this.tables[which] as Uint32Array;
    const isFirst = old === empty;
    const table = this.allocate(isFirst ? slotsInitial : old.length);
    if (!isFirst) this.bytes -= old.byteLength;
    for (let at = 0; at < old.length; at += 2) {
      const anchor = old[at + 1] as number;
      if (anchor !== 0) place(table, old[at] as number, anchor);
    }
    this.tables[which] = table;
    return table;
  }

  private allocate(slots: number): Uint32Array {
    const table = new Uint32Array(slots * 2);
    this.bytes += table.byteLength;
    return table;
  }
}

function place(table: Uint32Array, hash: number, anchor: number): void {
  const mask = table.length - 1;
  let at = (hash << 1) & mask;
  while (table[at + 1] !== 0) at = (at + 2) & mask;
  table[at] = hash;
  table[at + 1] = anchor;
}
