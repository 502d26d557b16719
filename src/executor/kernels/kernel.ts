/** Compiled expressions: one loop per kernel over the selected rows of a batch. */

import type { Datum } from '#value';
import type { Batch } from '../batch/batch.ts';
import { type Datums, denseSelection, type Selection, type Vector } from '../batch/vector.ts';

/** Returns the values of an expression by row position. They are valid until the next call and defined only at selected positions. */
export type Evaluate = (columns: readonly Vector[], selection: Selection, count: number) => Vector;

/** Writes to `out` the selected rows for which a predicate is TRUE, and returns their number. `out` may be `selection`. */
export type Select = (
  columns: readonly Vector[],
  selection: Selection,
  count: number,
  out: Selection,
) => number;

export interface Kernel {
  /** Returns the value that all rows share during one call; defined for parameters and registers. */
  readonly constant: (() => Datum) | undefined;
  readonly evaluate: Evaluate;
  /** Defined for predicates that can select rows faster than by their values. */
  readonly select: Select | undefined;
  /** Whether evaluation can fail. If so, a row may be evaluated only if the expression requires its value. */
  readonly canFail: boolean;
}

export function evaluateBatch(kernel: Kernel, batch: Batch): Vector {
  return kernel.evaluate(batch.columns, batch.selection, batch.count);
}

/** Returns the value of an expression without columns. */
export function evaluateConstant(kernel: Kernel): Datum {
  if (kernel.constant !== undefined) return kernel.constant();
  return kernel.evaluate([], denseSelection, 1)[0] as Datum;
}

/** Returns the loop that selects the rows for which the predicate is TRUE. */
export function selectTrue(kernel: Kernel): Select {
  if (kernel.select !== undefined) return kernel.select;
  const { evaluate } = kernel;
  return (columns, selection, count, out) => {
    const values = evaluate(columns, selection, count);
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      out[kept] = row;
      kept = (kept + +(values[row] === true)) | 0;
    }
    return kept;
  };
}

/** Returns a kernel that consists of its loop alone. */
export function kernelOf(evaluate: Evaluate, canFail: boolean): Kernel {
  return { constant: undefined, evaluate, select: undefined, canFail };
}

/** Returns a kernel whose value is the same for all rows of a call. */
export function constantKernel(read: () => Datum): Kernel {
  return {
    constant: read,
    evaluate: broadcast(read),
    select: selectConstant(read),
    canFail: false,
  };
}

/** Fills a vector only if the value changes, and extends it only if a call needs more rows. */
function broadcast(read: () => Datum): Evaluate {
  let out: Datums = [];
  let held: Datum = null;
  return (_columns, selection, count) => {
    const value = read();
    const needed = count === 0 ? 0 : (selection[count - 1] as number) + 1;
    if (!Object.is(value, held)) {
      out = [];
      held = value;
    }
    while (out.length < needed) out.push(value);
    return out;
  };
}

function selectConstant(read: () => Datum): Select {
  return (_columns, selection, count, out) => {
    if (read() !== true) return 0;
    if (out !== selection) for (let i = 0; i < count; i++) out[i] = selection[i] as number;
    return count;
  };
}
