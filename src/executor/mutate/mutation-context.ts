/** The context of all mutations of a program: the transaction, point reads in key order, and memory accounting. */

import { invariant, type Pending, type Steps } from '#base';
import type { Catalog } from '#catalog';
import { KeyBatch, type Transaction } from '#storage';
import type { Sequence } from '../batch/long-list.ts';
import { arrayBytes, byteListBytes, slotBytes } from '../batch/memory-costs.ts';
import type { MemoryReservation } from '../memory.ts';
import { OperatorProfile } from '../operator-profile.ts';
import type { ProgramRun } from '../program-run.ts';
import type { ProgramSpill } from '../spill/program-spill.ts';

/** Number of rows, and of written bytes, after which time and memory are checked again. */
const stretchRows = 256;
const stretchBytes = 256 << 10;
/** Copying this many bytes takes about as long as processing a row. */
const bytesOfRow = 1024;

export class MutationContext {
  readonly run: ProgramRun;
  readonly catalog: Catalog;
  readonly transaction: Transaction;
  readonly site: OperatorProfile;
  private readonly reservation: MemoryReservation;
  /** Memory that the statement holds. */
  heldBytes = 0;
  /** Rows processed and bytes written since the last check. */
  private rows = 0;
  private bytes = 0;

  constructor(run: ProgramRun, catalog: Catalog, operator: string, table: string | undefined) {
    const { transaction } = run.context;
    invariant(transaction !== undefined, 'a program with effects runs in a transaction');
    this.run = run;
    this.catalog = catalog;
    this.transaction = transaction;
    this.site = new OperatorProfile(operator, -1, table === undefined ? {} : { table });
    this.reservation = this.reserve();
  }

  /** Returns a reservation for memory that is accounted separately, because it can be spilled. */
  reserve(): MemoryReservation {
    return this.run.memory.reservation(this.site);
  }

  /** The spill files of the program, which must be able to spill. */
  get spill(): ProgramSpill {
    const { spill } = this.run.memory;
    invariant(spill !== undefined, 'a program without spill files never exceeds its share');
    return spill;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.bytes += key.length + value.length;
    this.transaction.put(key, value);
  }

  /** Like `Transaction.putOwned`. */
  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void {
    this.bytes += valueTo - keyFrom;
    this.transaction.putOwned(owned, keyFrom, keyTo, valueTo);
  }

  /** Like `Transaction.deleteOwned`. */
  deleteOwned(owned: number, keyFrom: number, keyTo: number): void {
    this.bytes += keyTo - keyFrom;
    this.transaction.deleteOwned(owned, keyFrom, keyTo);
  }

  delete(key: Uint8Array): void {
    this.bytes += key.length;
    this.transaction.delete(key);
  }

  /** Reserves memory until it is released or the statement ends. The limit is checked at the next check, or by `account`. */
  hold(bytes: number): void {
    this.heldBytes += bytes;
  }

  release(bytes: number): void {
    this.heldBytes -= bytes;
  }

  /** Reserves memory for `count` arrays of `cells` cells each, before they are created. */
  holdArrays(count: number, cells: number): void {
    this.hold(count * (slotBytes + arrayBytes(cells)));
    this.account();
  }

  /** Reserves memory for a key; returns its bytes. */
  holdKey(key: Uint8Array): number {
    const bytes = slotBytes + byteListBytes(key.length);
    this.heldBytes += bytes;
    return bytes;
  }

  /** Checks the memory limit. The transaction has its writes in memory, until it is relieved of them, and the record of its reads. */
  account(): void {
    this.reservation.resize(this.heldBytes + this.run.transactionBytes);
  }

  /** Lets the transaction write to disk what exceeds its share. No view of its writes may be in use. Call it between chunks of writes. */
  *relieve(): Steps<void> {
    const wait = this.transaction.relieve();
    if (wait !== undefined) yield wait;
    this.account();
  }

  /**
   * Returns a wait if the time slice is used up, else undefined. Call it before each row, or before work that takes as long as `rows` rows;
   * `bytes` were copied since the last call, without those of writes.
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

  /** Adds bytes that were read to the work since the last check. */
  charge(bytes: number): void {
    this.bytes += bytes;
  }

  *read(key: Uint8Array): Steps<Uint8Array | undefined> {
    for (;;) {
      const value = this.transaction.get(key);
      if (!(value instanceof Promise)) return value;
      yield value;
    }
  }

  /**
   * Looks up the keys in the given order, which must be key order. `visit` receives each answered batch, whose key `i` is the key with the number
   * `order[from + i]`.
   */
  *findAll(
    keys: Sequence<Uint8Array>,
    order: Uint32Array,
    visit: (batch: KeyBatch, from: number) => unknown,
  ): Steps<void> {
    const batch = new KeyBatch();
    for (let from = 0; from < order.length; ) {
      for (let i = from; i < order.length && !batch.isFull; i++) {
        batch.add(keys.at(order[i] as number) as Uint8Array);
      }
      const pause = this.pause(batch.keys.length);
      if (pause !== undefined) yield pause;
      const { transaction } = this;
      let wait = transaction.findAll(batch);
      while (wait !== undefined) {
        yield wait;
        wait = transaction.findAll(batch);
      }
      if (visit(batch, from) === false) return;
      from += batch.end;
      batch.clear();
    }
  }

  /**
   * Looks up the keys in the given order, which must be key order. `visit` receives the number of each key, and whether it exists. The
   * search ends if `visit` returns false.
   */
  eachKey(
    keys: Sequence<Uint8Array>,
    order: Uint32Array,
    visit: (at: number, exists: boolean) => unknown,
  ): Steps<void> {
    return this.findAll(keys, order, (batch, from) => {
      for (let i = 0; i < batch.end; i++) {
        if (visit(order[from + i] as number, batch.has(i)) === false) return false;
      }
      return true;
    });
  }
}
