/** Determines the number of rows that a scan reads into one batch, and their work: fewer rows if they have many columns or bytes. */

import { batchRowsMax } from '../../batch/vector.ts';

/** Maximum bytes of stored rows in one batch, unless a single row has more. */
export const batchBytes = 1 << 20;
/** Reading this many bytes takes about as long as processing a row. */
const bytesOfRow = 1024;
/** Maximum number of cells of one batch. */
const batchCells = 65_536;
/** Decoding this many cells takes about as long as the rest of the work for a row. */
const cellsOfRow = 16;

/** Returns the number of rows with `cells` cells each that fit into one batch. */
export function rowsOfCells(cells: number): number {
  return Math.max(1, Math.min(batchRowsMax, Math.floor(batchCells / Math.max(1, cells))));
}

/** Returns the work of reading `rows` rows, in rows, as the argument of `Budget.pause`. */
export function scanWork(rows: number, cells: number, bytes: number): number {
  return rows * (1 + Math.floor(cells / cellsOfRow)) + Math.floor(bytes / bytesOfRow);
}
