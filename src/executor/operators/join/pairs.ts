/** Loops that several joins share. */

import type { Batch } from '../../batch/batch.ts';

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
