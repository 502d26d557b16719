/** What all mutations of a program work with: the transaction, point reads in key order, and account of what they hold. */

import { invariant } from '#base';
import type { Catalog } from '#catalog';
import type { Transaction } from '#storage';
import type { Holding } from '../memory.ts';
import type { ProgramRun } from '../program-run.ts';
import { Site } from '../site.ts';
import type { Steps } from '../steps.ts';

/** Rows between two looks at the time. */
const stretch = 256;
/** What the transaction adds to the bytes of an entry. */
const entryBytes = 64;

export class Writing {
  readonly run: ProgramRun;
  readonly catalog: Catalog;
  readonly transaction: Transaction;
  private readonly holding: Holding;
  private writtenBytes = 0;

  constructor(run: ProgramRun, catalog: Catalog, operator: string, table: string | undefined) {
    const { transaction } = run.context;
    invariant(transaction !== undefined, 'a program with effects runs in a transaction');
    this.run = run;
    this.catalog = catalog;
    this.transaction = transaction;
    this.holding = run.memory.holding(new Site(operator, -1, table === undefined ? {} : { table }));
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.writtenBytes += entryBytes + key.length + value.length;
    this.transaction.put(key, value);
  }

  delete(key: Uint8Array): void {
    this.writtenBytes += entryBytes + key.length;
    this.transaction.delete(key);
  }

  /** Checks the memory limit: what was written stays in memory up to the commit. */
  account(heldBytes: number): void {
    this.holding.resize(this.writtenBytes + heldBytes);
  }

  /** Keeps what was written in account for the rest of the program. */
  finish(): void {
    this.run.keep(this.writtenBytes);
  }

  /** A wait when the time slice is used up; called with a running number. */
  pause(i: number): Promise<void> | undefined {
    return i % stretch === 0 ? this.run.budget.pause(stretch) : undefined;
  }

  *read(key: Uint8Array): Steps<Uint8Array | undefined> {
    for (;;) {
      const value = this.transaction.get(key);
      if (!(value instanceof Promise)) return value;
      yield value;
    }
  }

  /** Reads the keys in key order; `visit` gets the number of the key and its value. */
  *readAll(
    keys: readonly Uint8Array[],
    order: readonly number[],
    visit: (at: number, value: Uint8Array | undefined) => void,
  ): Steps<void> {
    for (let i = 0; i < order.length; i++) {
      const pause = this.pause(i);
      if (pause !== undefined) yield pause;
      const at = order[i] as number;
      let value = this.transaction.get(keys[at] as Uint8Array);
      while (value instanceof Promise) {
        yield value;
        value = this.transaction.get(keys[at] as Uint8Array);
      }
      visit(at, value);
    }
  }
}
