/** Compiles branch: each row evaluates the predicates up to its first TRUE one, and then the result of that arm. */

import { Scratch, type Selection, type Vector } from '../batch/vector.ts';
import { type Kernel, kernelOf } from './kernel.ts';

interface Arm {
  readonly when: Kernel;
  readonly then: Kernel;
}

export function branchKernel(arms: readonly Arm[], otherwise: Kernel): Kernel {
  const out: Vector = [];
  const undecided = new Scratch();
  const chosen = new Scratch();
  const canFail = otherwise.canFail || arms.some((arm) => arm.when.canFail || arm.then.canFail);
  return kernelOf((columns, selection, count) => {
    const live = undecided.take(count);
    const taken = chosen.take(count);
    for (let i = 0; i < count; i++) live[i] = selection[i] as number;
    let remaining = count;
    for (let k = 0; k < arms.length && remaining > 0; k++) {
      const { when, then } = arms[k] as Arm;
      const tests = when.evaluate(columns, live, remaining);
      const kept = split(tests, live, remaining, taken);
      const takenCount = remaining - kept;
      if (takenCount > 0) copy(then.evaluate(columns, taken, takenCount), taken, takenCount, out);
      remaining = kept;
    }
    if (remaining > 0) copy(otherwise.evaluate(columns, live, remaining), live, remaining, out);
    return out;
  }, canFail);
}

/** Moves the rows whose test is TRUE to `taken`, keeps the others in `live`, and returns the number that it keeps. */
function split(tests: Vector, live: Selection, count: number, taken: Selection): number {
  let kept = 0;
  let moved = 0;
  for (let i = 0; i < count; i++) {
    const row = live[i] as number;
    if (tests[row] === true) taken[moved++] = row;
    else live[kept++] = row;
  }
  return kept;
}

function copy(values: Vector, selection: Selection, count: number, out: Vector): void {
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    out[row] = values[row] as Vector[number];
  }
}
