/** Compiles coalesce: each row evaluates its operands up to the first value that is not NULL. */

import { Scratch, type Vector } from '../batch/vector.ts';
import { type Kernel, kernelOf } from './kernel.ts';

export function coalesceKernel(operands: readonly Kernel[]): Kernel {
  const out: Vector = [];
  const undecided = new Scratch();
  const canFail = operands.some((operand) => operand.canFail);
  return kernelOf((columns, selection, count) => {
    const live = undecided.take(count);
    for (let i = 0; i < count; i++) live[i] = selection[i] as number;
    let remaining = count;
    for (let k = 0; k < operands.length && remaining > 0; k++) {
      const values = (operands[k] as Kernel).evaluate(columns, live, remaining);
      let kept = 0;
      for (let i = 0; i < remaining; i++) {
        const row = live[i] as number;
        const value = values[row] as Vector[number];
        out[row] = value;
        if (value === null) live[kept++] = row;
      }
      remaining = kept;
    }
    return out;
  }, canFail);
}
