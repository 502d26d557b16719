/** How many rows a scan reads into one batch, and how much work they are: fewer when they are wide or long. */

import { batchRowsMax } from '../../batch/vector.ts';

/** Bytes of stored rows in one batch, unless a single row has more. */
export const batchBytes = 1 << 20;
/** Reading so many bytes takes about as long as handling a row. */
const bytesOfRow = 1024;
/** Cells of one batch. */
const batchCells = 65_536;
/** Decoding so many cells takes about as long as the rest of a row. */
const cellsOfRow = 16;

/** Rows of so many cells that fit in one batch. */
export function rowsOfCells(cells: number): number {
  return Math.max(1, Math.min(batchRowsMax, Math.floor(batchCells / Math.max(1, cells))));
}

/** What a budget is told of `rows` rows. */
export function scanWork(rows: number, cells: number, bytes: number): number {
  return rows * (1 + Math.floor(cells / cellsOfRow)) + Math.floor(bytes / bytesOfRow);
}
