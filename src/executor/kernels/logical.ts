/**
 * Compiles `and` and `or`: left to right over a shrinking selection. FALSE ends an `and`, and TRUE ends an `or`; UNKNOWN continues. If only TRUE
 * rows are selected and the later operands cannot fail, UNKNOWN ends an `and` as well.
 */

import type { LogicalOperator } from '#lir';
import { Scratch, type Vector } from '../batch/vector.ts';
import { type Evaluate, type Kernel, type Select, selectTrue } from './kernel.ts';

export function logicalKernel(op: LogicalOperator, operands: readonly Kernel[]): Kernel {
  const canFail = operands.some((operand) => operand.canFail);
  const tailCanFail = operands.slice(1).some((operand) => operand.canFail);
  return {
    constant: undefined,
    evaluate: op === 'and' ? narrowing(operands, false) : narrowing(operands, true),
    select: op === 'and' && !tailCanFail ? selectAll(operands.map(selectTrue)) : undefined,
    canFail,
  };
}

/** `end` is the value that decides the result: FALSE for `and`, TRUE for `or`. */
function narrowing(operands: readonly Kernel[], end: boolean): Evaluate {
  const out: Vector = [];
  const scratch = new Scratch();
  return (columns, selection, count) => {
    const live = scratch.take(count);
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      live[i] = row;
      out[row] = !end;
    }
    let remaining = count;
    for (let k = 0; k < operands.length && remaining > 0; k++) {
      const values = (operands[k] as Kernel).evaluate(columns, live, remaining);
      remaining = keepUndecided(values, end, live, remaining, out);
    }
    return out;
  };
}

function keepUndecided(
  values: Vector,
  end: boolean,
  live: Uint32Array,
  count: number,
  out: Vector,
): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const row = live[i] as number;
    const value = values[row];
    if (value === end) {
      out[row] = end;
    } else {
      if (value === null) out[row] = null;
      live[kept++] = row;
    }
  }
  return kept;
}

function selectAll(operands: readonly Select[]): Select {
  return (columns, selection, count, out) => {
    let from = selection;
    let kept = count;
    for (let k = 0; k < operands.length && kept > 0; k++) {
      kept = (operands[k] as Select)(columns, from, kept, out);
      from = out;
    }
    return kept;
  };
}
