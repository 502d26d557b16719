/** The changing part of the store: the memtables, the tables, and the version that they make up now. */

import { Memtable } from './memtable/memtable.ts';
import type { WriteBatch } from './transaction/index.ts';
import { Version } from './version.ts';

export class VersionSet {
  /** Takes the writes. */
  active = new Memtable();
  /** Frozen, newest first, until they are flushed. */
  frozen: readonly Memtable[] = [];
  current: Version;

  constructor() {
    this.current = this.assemble();
  }

  get unflushedBytes(): number {
    let bytes = this.active.bytes;
    for (const memtable of this.frozen) bytes += memtable.bytes;
    return bytes;
  }

  apply(batch: WriteBatch, sequence: number): void {
    const { active } = this;
    for (const chunk of batch.chunks) {
      for (let i = 0; i < chunk.length; i++) {
        const { bytes, keyFrom, keyTo, valueTo, isDelete } = chunk[i] as (typeof chunk)[number];
        const key = bytes.subarray(keyFrom, keyTo);
        if (isDelete) active.delete(key, sequence);
        else active.put(key, bytes.subarray(keyTo, valueTo), sequence);
      }
    }
  }

  /** The next write goes to a new memtable. */
  freeze(): void {
    this.active.freeze();
    this.frozen = [this.active, ...this.frozen];
    this.active = new Memtable();
    this.install();
  }

  private install(): void {
    const former = this.current;
    this.current = this.assemble();
    former.release();
  }

  private assemble(): Version {
    return new Version([this.active, ...this.frozen], () => {});
  }
}
