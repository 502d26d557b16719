/** Rows in memory, column by column, as joins, sorts, bindings and statement results store them. */

import type { Datum, DatumType, Row } from '#value';
import type { Batch } from './batch.ts';
import {
  type ChunkedColumn,
  gatherOfPieces,
  openPiece,
  pieceLength,
  sliceOfPieces,
} from './chunked-column.ts';
import { datumBytes } from './datum-bytes.ts';
import { slotBytes } from './memory-costs.ts';
import { batchRowsMax, type Datums, type Vector } from './vector.ts';

export class RowStore {
  readonly types: readonly DatumType[];
  columns: ChunkedColumn[];
  length = 0;
  /** Bytes of memory that the rows take. */
  bytes = 0;

  constructor(types: readonly DatumType[]) {
    this.types = types;
    this.columns = types.map(() => [[]]);
  }

  append(batch: Batch): void {
    for (let c = 0; c < this.columns.length; c++) this.appendTo(c, batch);
    this.length += batch.count;
  }

  /** Appends one column of a batch, as part of `append`. */
  appendTo(c: number, { columns, selection, count }: Batch): void {
    const from = columns[c] as Vector;
    for (let i = 0; i < count; ) {
      const to = openPiece(this.columns[c] as ChunkedColumn);
      const before = to.length;
      const end = Math.min(count, i + pieceLength - before);
      for (; i < end; i++) to.push(from[selection[i] as number] as Datum);
      this.bytes += vectorBytes(this.types[c] as DatumType, to, before);
    }
  }

  appendRows(rows: readonly Row[]): void {
    for (let c = 0; c < this.columns.length; c++) {
      for (let i = 0; i < rows.length; ) {
        const to = openPiece(this.columns[c] as ChunkedColumn);
        const before = to.length;
        const end = Math.min(rows.length, i + pieceLength - before);
        for (; i < end; i++) to.push((rows[i] as Row)[c] as Datum);
        this.bytes += vectorBytes(this.types[c] as DatumType, to, before);
      }
    }
    this.length += rows.length;
  }

  /** Returns the rows [from, to) as new vectors. */
  window(from: number, to: number): Datums[] {
    return this.columns.map((column) => sliceOfPieces(column, from, to));
  }

  /** Keeps the rows at `order[0, count)`, in that order; `count` must not exceed the length of a piece. */
  rearrange(order: Uint32Array, count: number): void {
    this.columns = this.columns.map((column) => [gatherOfPieces(column, order, 0, count)]);
    this.bytes = this.length === 0 ? 0 : Math.ceil((this.bytes * count) / this.length);
    this.length = count;
  }
}

/** Returns `values[order[from]]` … `values[order[to - 1]]`. */
export function gather(
  values: Vector,
  order: Uint32Array | Int32Array,
  from: number,
  to: number,
): Datums {
  const out: Datums = new Array(to - from);
  for (let i = from; i < to; i++) out[i - from] = values[order[i] as number] as Datum;
  return out;
}

/** Returns the end of the window that begins at `from`. */
export function windowEnd(from: number, length: number, wanted: number): number {
  return Math.min(length, from + Math.min(wanted, batchRowsMax));
}

/** Returns the row at a position as a new array. */
export function rowAt(columns: readonly Vector[], position: number): Row {
  const row: Datum[] = new Array(columns.length);
  for (let c = 0; c < columns.length; c++) row[c] = (columns[c] as Vector)[position] as Datum;
  return row;
}

/** Returns the bytes of memory of the values from index `from` on. */
export function vectorBytes(type: DatumType, values: Vector, from: number): number {
  const count = values.length - from;
  let bytes = count * slotBytes;
  if (type.kind === 'float64' || type.kind === 'bool') return bytes;
  for (let i = from; i < values.length; i++) bytes += datumBytes(values[i] as Datum);
  return bytes;
}
