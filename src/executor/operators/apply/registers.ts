/** Copies values of an outer row to the registers from which an inner plan reads them. */

import type { RegisterBinding } from '#planner';
import type { Datum } from '#value';
import type { Batch } from '../../batch/batch.ts';
import type { Vector } from '../../batch/vector.ts';

export function setRegisters(
  bindings: readonly RegisterBinding[],
  batch: Batch,
  row: number,
  registers: Datum[],
): void {
  for (let i = 0; i < bindings.length; i++) {
    const { register, columnIndex } = bindings[i] as RegisterBinding;
    registers[register] = (batch.columns[columnIndex] as Vector)[row] as Datum;
  }
}
