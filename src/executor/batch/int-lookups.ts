/**
 * The loops of `IntCodes.findKnown`, for keys that are indexes of an array. Each exists with a selection and for all rows: reading the selection
 * takes a third of the time of a loop. Without `| 0`, the engine computes codes as 64-bit floats, which takes twice the time.
 */

import type { Selection } from './vector.ts';

/** Writes to `found` the selected rows whose code in `out` is not negative, and returns their number. */
export function knownRows(
  selection: Selection,
  count: number,
  out: Int32Array,
  found: Uint32Array,
): number {
  let rows = 0;
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    found[rows] = row;
    rows = (rows + +((out[row] as number) >= 0)) | 0;
  }
  return rows;
}

export function findMany(
  dense: Int32Array,
  keys: Float64Array,
  selection: Selection,
  count: number,
  out: Int32Array,
  found: Uint32Array,
): number {
  const { length } = dense;
  let rows = 0;
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const key = keys[row] as number;
    const code = key >= 0 && key < length ? (dense[key | 0] as number) : 0;
    out[row] = (code - 1) | 0;
    found[rows] = row;
    rows = (rows + +(code !== 0)) | 0;
  }
  return rows;
}

export function findManyDense(
  dense: Int32Array,
  keys: Float64Array,
  count: number,
  out: Int32Array,
  found: Uint32Array,
): number {
  // Most joins are by foreign key, and find every row: then nothing has to be collected.
  const leading = findLeading(dense, keys, count, out);
  if (leading === count) return count;
  for (let row = 0; row < leading; row++) found[row] = row;
  const { length } = dense;
  let rows = leading;
  for (let row = leading; row < count; row++) {
    const key = keys[row] as number;
    const code = key >= 0 && key < length ? (dense[key | 0] as number) : 0;
    out[row] = (code - 1) | 0;
    found[rows] = row;
    rows = (rows + +(code !== 0)) | 0;
  }
  return rows;
}

/** Writes the codes of the rows before the first one without a code, and returns their number. */
function findLeading(
  dense: Int32Array,
  keys: Float64Array,
  count: number,
  out: Int32Array,
): number {
  const { length } = dense;
  for (let row = 0; row < count; row++) {
    const key = keys[row] as number;
    if (!(key >= 0 && key < length)) return row;
    const code = dense[key | 0] as number;
    if (code === 0) return row;
    out[row] = (code - 1) | 0;
  }
  return count;
}
