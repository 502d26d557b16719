/** Compiled expressions: one loop per kernel over the selected rows of a batch. */

import type { Datum } from '#value';
import type { Batch } from '../batch/batch.ts';
import { type Datums, denseSelection, type Selection, type Vector } from '../batch/vector.ts';

/** The values of an expression, by row position. Valid until the next call; only selected positions mean anything. */
export type Evaluate = (columns: readonly Vector[], selection: Selection, count: number) => Vector;

/** Writes to `out` the selected rows for which a predicate is TRUE, and returns how many. `out` may be `selection`. */
export type Select = (
  columns: readonly Vector[],
  selection: Selection,
  count: number,
  out: Selection,
) => number;

export interface Kernel {
  /** For parameters and registers: the value that all rows share during one call. */
  readonly constant: (() => Datum) | undefined;
  readonly evaluate: Evaluate;
  /** Only of predicates that have a better way than looking at their values. */
  readonly select: Select | undefined;
  /** Whether evaluation can fail: a row may then be evaluated only where the expression says so. */
  readonly canFail: boolean;
}

export function evaluateBatch(kernel: Kernel, batch: Batch): Vector {
  return kernel.evaluate(batch.columns, batch.selection, batch.count);
}

/** The value of an expression without columns. */
export function evaluateConstant(kernel: Kernel): Datum {
  if (kernel.constant !== undefined) return kernel.constant();
  return kernel.evaluate([], denseSelection, 1)[0] as Datum;
}

/** The rows for which the predicate is TRUE. */
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

/** A kernel from its loop alone. */
export function kernelOf(evaluate: Evaluate, canFail: boolean): Kernel {
  return { constant: undefined, evaluate, select: undefined, canFail };
}

/** A kernel whose value is the same for all rows of a call. */
export function constantKernel(read: () => Datum): Kernel {
  return {
    constant: read,
    evaluate: broadcast(read),
    select: selectConstant(read),
    canFail: false,
  };
}

/** Fills a vector only as far, and as often, as the value or the number of rows changes. */
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
