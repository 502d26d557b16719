/** An open-addressing hash index of chain heads. The index consists of 256 separate tables, so that growing one delays an insert only briefly. */

import type { EntrySpan } from '../key/entry-span.ts';
import type { Entries } from './entries.ts';

const tableCount = 256;
const slotsInitial = 16;
/** Shared by all tables without entries, which are most tables of a small memtable. */
const empty = new Uint32Array(2);

/**
 * A table consists of pairs of words: hash and chain head. Chain head 0 is an empty slot. The top byte of the hash selects the table, its
 * low bits the slot.
 */
export class KeyIndex {
  private readonly tables = new Array<Uint32Array>(tableCount).fill(empty);
  private readonly counts = new Uint32Array(tableCount);
  bytes = 0;

  /** Returns the chain head of `key`; 0 if there is none. */
  find(hash: number, key: Uint8Array, entries: Entries): number {
    const table = this.tables[hash >>> 24] as Uint32Array;
    const mask = table.length - 1;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const chainHead = table[at + 1] as number;
      if (chainHead === 0) return 0;
      if (table[at] === hash && entries.equalsKey(chainHead, key)) return chainHead;
    }
  }

  /** Returns the chain head of the key of `entry`; 0 if there is none. */
  findSpan(hash: number, entry: EntrySpan, entries: Entries): number {
    const table = this.tables[hash >>> 24] as Uint32Array;
    const mask = table.length - 1;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const chainHead = table[at + 1] as number;
      if (chainHead === 0) return 0;
      if (table[at] === hash && entries.hasKey(chainHead, entry)) return chainHead;
    }
  }

  /** Adds a chain head whose key is not in the index. */
  add(hash: number, chainHead: number): void {
    const which = hash >>> 24;
    const count = (this.counts[which] as number) + 1;
    this.counts[which] = count;
    let table = this.tables[which] as Uint32Array;
    if (count * 2 > table.length * 0.7) table = this.grow(which);
    place(table, hash, chainHead);
  }

  private grow(which: number): Uint32Array {
    const old = this.tables[which] as Uint32Array;
    const isFirst = old === empty;
    const table = this.allocate(isFirst ? slotsInitial : old.length);
    if (!isFirst) this.bytes -= old.byteLength;
    for (let at = 0; at < old.length; at += 2) {
      const chainHead = old[at + 1] as number;
      if (chainHead !== 0) place(table, old[at] as number, chainHead);
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

function place(table: Uint32Array, hash: number, chainHead: number): void {
  const mask = table.length - 1;
  let at = (hash << 1) & mask;
  while (table[at + 1] !== 0) at = (at + 2) & mask;
  table[at] = hash;
  table[at + 1] = chainHead;
}
