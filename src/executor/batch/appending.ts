/**
 * Appends a batch to a row store a few columns at a time, with yields in between. An array that grows is copied, and all columns of a long or
 * wide store would grow in the same batch.
 */

import type { Pending } from '#base';
import type { Batch } from './batch.ts';
import { pieceLength } from './chunked-column.ts';
import type { RowStore } from './row-store.ts';

/** Appending this many values takes about as long as processing a row. */
const valuesOfRow = 64;
/** Copying this many values takes about as long as processing a row. */
const copiedOfRow = 4096;

export class Appending {
  private readonly store: RowStore;
  private readonly batch: Batch;
  private column = 0;

  /** The caller must not change the vectors of `batch` before `run` returns undefined. */
  constructor(store: RowStore, batch: Batch) {
    this.store = store;
    this.batch = batch;
  }

  /** Returns undefined once the batch is appended; after a wait, call it again. */
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
