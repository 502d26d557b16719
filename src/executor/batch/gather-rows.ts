/** Copies values by the numbers of their rows. */

import type { Datum } from '#value';
import { type ChunkedColumn, pieceBits, pieceMask } from './chunked-column.ts';
import type { Datums, Selection, Vector } from './vector.ts';

type RowNumbers = Int32Array | Uint32Array | Uint8Array;

/** Writes for each selected position: `to[position] = from[rows[position]]`, or NULL if the row is -1. */
export function gatherRows(
  from: Vector,
  rows: RowNumbers,
  selection: Selection,
  count: number,
  to: Vector,
): void {
  for (let i = 0; i < count; i++) {
    const at = selection[i] as number;
    const row = rows[at] as number;
    to[at] = row < 0 ? null : (from[row] as Datum);
  }
}

/** Like `gatherRows`, from the chunks of a row store. */
export function gatherStoredRows(
  from: ChunkedColumn,
  rows: RowNumbers,
  selection: Selection,
  count: number,
  to: Vector,
): void {
  if (from.length === 1) {
    gatherRows(from[0] as Datums, rows, selection, count, to);
    return;
  }
  for (let i = 0; i < count; i++) {
    const at = selection[i] as number;
    const row = rows[at] as number;
    to[at] = row < 0 ? null : ((from[row >>> pieceBits] as Datums)[row & pieceMask] as Datum);
  }
}
