/** Loops that several joins share. */

import type { Datum } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { type ChunkedColumn, pieceBits, pieceMask } from '../../batch/chunked-column.ts';
import type { Datums, Selection, Vector } from '../../batch/vector.ts';

/** Writes for each selected position: `to[position] = from[rows[position]]`, or NULL if the row is -1. */
export function pairColumn(
  from: Vector,
  rows: Int32Array | Uint32Array,
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

/** Gathers the column of a pair like `pairColumn`, from the chunks of a row store. */
export function gatherBuildColumn(
  from: ChunkedColumn,
  rows: Int32Array | Uint32Array,
  selection: Selection,
  count: number,
  to: Vector,
): void {
  if (from.length === 1) {
    pairColumn(from[0] as Datums, rows, selection, count, to);
    return;
  }
  for (let i = 0; i < count; i++) {
    const at = selection[i] as number;
    const row = rows[at] as number;
    to[at] = row < 0 ? null : ((from[row >>> pieceBits] as Datums)[row & pieceMask] as Datum);
  }
}

/** Writes to `out` the selected rows that are not marked, and returns their number. */
export function unmatchedRows(batch: Batch, matched: Uint8Array, out: Uint32Array): number {
  let kept = 0;
  for (let i = 0; i < batch.count; i++) {
    const row = batch.selection[i] as number;
    out[kept] = row;
    kept = (kept + +(matched[row] === 0)) | 0;
  }
  return kept;
}
