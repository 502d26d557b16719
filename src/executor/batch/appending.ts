/** A batch on its way into rows that may be very many, or very wide, a few columns at a time: an array that grows is copied, and all columns grow in the same batch. */

import type { Pending } from '#base';
import type { Batch } from './batch.ts';
import { pieceLength } from './pieces.ts';
import type { RowStore } from './row-store.ts';

/** Putting so many values behind others takes about as long as handling a row. */
const valuesOfRow = 64;
/** Copying so many does. */
const copiedOfRow = 4096;

export class Appending {
  private readonly store: RowStore;
  private readonly batch: Batch;
  private column = 0;

  /** The vectors of `batch` stay as they are until it is in. */
  constructor(store: RowStore, batch: Batch) {
    this.store = store;
    this.batch = batch;
  }

  /** Undefined once the batch is in; after a wait to be called again. */
  run(pause: (rows: number) => Pending | undefined): Pending | undefined {
    const { store, batch } = this;
    const work = batch.count / valuesOfRow + Math.min(store.length, pieceLength) / copiedOfRow;
    for (; this.column < store.columns.length; this.column++) {
      const wait = pause(work);
      if (wait !== undefined) return wait;
      store.appendTo(this.column, batch);
    }
    store.length += batch.count;
    return undefined;
  }
}
