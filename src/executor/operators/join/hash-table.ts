/** Rows in memory, found by equality of their keys: the build side of a hash join, and a spool. A key with NULL is never found. */

import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { type ChunkedColumn, openPiece, setValue, valueAt } from '../../batch/chunked-column.ts';
import { KeyTable } from '../../batch/key-table.ts';
import { slotBytes } from '../../batch/memory-costs.ts';
import { RowStore } from '../../batch/row-store.ts';
import { batchRowsMax, Scratch, type Selection, type Vector } from '../../batch/vector.ts';

export class HashTable {
  readonly rows: RowStore;
  /** Whether some key has more than one row. */
  hasDuplicates = false;
  private readonly keys: KeyTable;
  /** The first row (`heads`) and the last row (`tails`) of each key, by its number. */
  private readonly heads: ChunkedColumn<number> = [[]];
  private readonly tails: ChunkedColumn<number> = [[]];
  /** The next row of the same key, or -1, by row. */
  private readonly nexts: ChunkedColumn<number> = [[]];
  private keyCount = 0;
  private rowCount = 0;
  private readonly numbers = new Int32Array(batchRowsMax);
  private readonly scratch = new Scratch();

  constructor(rowTypes: readonly DatumType[], keyTypes: readonly DatumType[]) {
    this.rows = new RowStore(rowTypes);
    this.keys = new KeyTable(keyTypes, false);
  }

  get bytes(): number {
    const links = 2 * this.keyCount + this.rowCount;
    return this.rows.bytes + this.keys.bytes + this.keys.filterBytes + links * slotBytes;
  }

  /** Is called after the last `add`. The filter of the keys is part of `bytes` before. */
  complete(): void {
    this.keys.addFilter();
  }

  add(batch: Batch, keys: readonly Vector[]): void {
    const { numbers } = this;
    this.keys.insert(keys, batch.selection, batch.count, numbers);
    const selection = this.scratch.take(batch.count);
    let count = 0;
    for (let i = 0; i < batch.count; i++) {
      const row = batch.selection[i] as number;
      if ((numbers[row] as number) < 0) continue;
      selection[count++] = row;
      this.link(numbers[row] as number);
    }
    this.rows.append({ columns: batch.columns, selection, count });
  }

  /** Writes to `firstRows[row]` the first stored row with the key of each selected row, or -1. */
  find(keys: readonly Vector[], batch: Batch, firstRows: Int32Array): void {
    this.keys.find(keys, batch.selection, batch.count, firstRows);
    this.toRows(batch.selection, batch.count, firstRows);
  }

  /** Like `find`, for the selected rows whose key is stored. Writes them to `found`, unless these are all of them; returns their number. */
  findKnown(
    keys: readonly Vector[],
    batch: Batch,
    firstRows: Int32Array,
    found: Uint32Array,
  ): number {
    const { selection } = batch;
    const count = this.keys.findKnown(keys, selection, batch.count, firstRows, found);
    this.toRows(count === batch.count ? selection : found, count, firstRows);
    return count;
  }

  /** Replaces the numbers of keys by their first rows. */
  private toRows(selection: Selection, count: number, firstRows: Int32Array): void {
    const { heads } = this;
    // Every row has a new key, so that numbers of keys equal those of their rows.
    if (this.keyCount === this.rowCount) return;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const key = firstRows[row] as number;
      if (key >= 0) firstRows[row] = valueAt(heads, key);
    }
  }

  /** Returns the next row with the key of `row`, or -1. */
  after(row: number): number {
    return valueAt(this.nexts, row);
  }

  private link(key: number): void {
    const row = this.rowCount++;
    openPiece(this.nexts).push(-1);
    if (key === this.keyCount) {
      this.keyCount++;
      openPiece(this.heads).push(row);
      openPiece(this.tails).push(row);
    } else {
      this.hasDuplicates = true;
      setValue(this.nexts, valueAt(this.tails, key), row);
      setValue(this.tails, key, row);
    }
  }
}
