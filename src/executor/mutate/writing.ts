/** What all mutations of a program work with: the transaction, point reads in key order, and account of what they hold. */

import { invariant, type Pending, type Steps } from '#base';
import type { Catalog } from '#catalog';
import type { Transaction } from '#storage';
import type { Sequence } from '../batch/long-list.ts';
import { arrayBytes, byteListBytes, slotBytes, writeBytes } from '../batch/prices.ts';
import type { Holding } from '../memory.ts';
import type { ProgramRun } from '../program-run.ts';
import { Site } from '../site.ts';

/** Rows between two looks at the time and the memory, and bytes that are written at most meanwhile. */
const stretchRows = 256;
const stretchBytes = 256 << 10;
/** Copying so many bytes takes about as long as handling a row. */
const bytesOfRow = 1024;

export class Writing {
  readonly run: ProgramRun;
  readonly catalog: Catalog;
  readonly transaction: Transaction;
  private readonly holding: Holding;
  private writtenBytes = 0;
  private heldBytes = 0;
  /** Rows handled and bytes written since the last look. */
  private rows = 0;
  private bytes = 0;

  constructor(run: ProgramRun, catalog: Catalog, operator: string, table: string | undefined) {
    const { transaction } = run.context;
    invariant(transaction !== undefined, 'a program with effects runs in a transaction');
    this.run = run;
    this.catalog = catalog;
    this.transaction = transaction;
    this.holding = run.memory.holding(new Site(operator, -1, table === undefined ? {} : { table }));
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const bytes = key.length + value.length;
    this.writtenBytes += writeBytes(bytes);
    this.bytes += bytes;
    this.transaction.put(key, value);
  }

  /** As `Transaction.putOwned` has it. */
  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void {
    this.writtenBytes += writeBytes(valueTo - keyFrom);
    this.bytes += valueTo - keyFrom;
    this.transaction.putOwned(owned, keyFrom, keyTo, valueTo);
  }

  delete(key: Uint8Array): void {
    this.writtenBytes += writeBytes(key.length);
    this.bytes += key.length;
    this.transaction.delete(key);
  }

  /** So many bytes more are in use, until they are released or the statement ends. Checked at the next look, or by `account`. */
  hold(bytes: number): void {
    this.heldBytes += bytes;
  }

  release(bytes: number): void {
    this.heldBytes -= bytes;
  }

  /** Holds `count` arrays of so many cells, before they are made. */
  holdArrays(count: number, cells: number): void {
    this.hold(count * (slotBytes + arrayBytes(cells)));
    this.account();
  }

  /** Holds a key; returns its bytes. */
  holdKey(key: Uint8Array): number {
    const bytes = slotBytes + byteListBytes(key.length);
    this.heldBytes += bytes;
    return bytes;
  }

  /** Checks the memory limit: what was written, and what the transaction remembers of its reads, stays in memory up to the commit. */
  account(): void {
    this.holding.resize(this.writtenBytes + this.heldBytes + this.run.readBytes);
  }

  /** Keeps what was written in account for the rest of the program. */
  finish(): void {
    this.run.keep(this.writtenBytes);
  }

  /**
   * A wait when the time slice is used up, else undefined. To be called before each row, or before work that is worth `rows` of them; `bytes` were copied
   * since the last call, those of writes aside.
   */
  pause(rows = 1, bytes = 0): Pending | undefined {
    this.rows += rows;
    this.bytes += bytes;
    if (this.rows < stretchRows && this.bytes < stretchBytes) return undefined;
    const work = this.rows + Math.floor(this.bytes / bytesOfRow);
    this.rows = 0;
    this.bytes = 0;
    this.account();
    return this.run.budget.pause(work);
  }

  *read(key: Uint8Array): Steps<Uint8Array | undefined> {
    for (;;) {
      const value = this.transaction.get(key);
      if (!(value instanceof Promise)) return value;
      yield value;
    }
  }

  /** Reads the keys in the given order, that of keys; `visit` gets the number of the key and its value, and ends it by false. */
  *readAll(
    keys: Sequence<Uint8Array>,
    order: Uint32Array,
    visit: (at: number, value: Uint8Array | undefined) => unknown,
  ): Steps<void> {
    for (let i = 0; i < order.length; i++) {
      const pause = this.pause();
      if (pause !== undefined) yield pause;
      const at = order[i] as number;
      let value = this.transaction.get(keys.at(at) as Uint8Array);
      while (value instanceof Promise) {
        yield value;
        value = this.transaction.get(keys.at(at) as Uint8Array);
      }
      this.bytes += value?.length ?? 0;
      if (visit(at, value) === false) return;
    }
  }
}
