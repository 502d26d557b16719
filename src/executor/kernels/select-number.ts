/**
 * Keeps the rows whose number compares with a constant as the operator requires. Each operator has its own loop, so that each loop compiles to
 * one comparison.
 */

import { unreachable } from '#base';
import type { ComparisonOperator } from '#lir';
import type { Datum } from '#value';
import type { Datums, Selection } from '../batch/vector.ts';
import type { Evaluate, Select } from './kernel.ts';
import { selectSame } from './select-same.ts';

type Loop<Values> = (
  values: Values,
  bound: number,
  selection: Selection,
  count: number,
  out: Selection,
) => number;

/** One loop for vectors of any values, and one for vectors of numbers only. */
interface Loops {
  readonly datums: Loop<Datums>;
  readonly numbers: Loop<Float64Array>;
}

export function selectNumber(
  op: ComparisonOperator,
  evaluate: Evaluate,
  constant: () => Datum,
): Select {
  if (op === 'eq' || op === 'ne') return selectSame(op === 'eq', evaluate, constant);
  const { datums, numbers } = loopsOf(op);
  return (columns, selection, count, out) => {
    const values = evaluate(columns, selection, count);
    const bound = constant();
    if (bound === null) return 0;
    if (values instanceof Float64Array && typeof bound === 'number') {
      return numbers(values, bound, selection, count, out);
    }
    return datums(values as Datums, bound as number, selection, count, out);
  };
}

function loopsOf(op: Exclude<ComparisonOperator, 'eq' | 'ne'>): Loops {
  switch (op) {
    case 'lt':
      return below;
    case 'lte':
      return atMost;
    case 'gt':
      return above;
    case 'gte':
      return atLeast;
    default:
      return unreachable(op);
  }
}

const below: Loops = {
  datums: (values, bound, selection, count, out) => {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as number | null;
      out[kept] = row;
      kept = (kept + +(value !== null && value < bound)) | 0;
    }
    return kept;
  },
  numbers: (values, bound, selection, count, out) => {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      out[kept] = row;
      kept = (kept + +((values[row] as number) < bound)) | 0;
    }
    return kept;
  },
};

const atMost: Loops = {
  datums: (values, bound, selection, count, out) => {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as number | null;
      out[kept] = row;
      kept = (kept + +(value !== null && value <= bound)) | 0;
    }
    return kept;
  },
  numbers: (values, bound, selection, count, out) => {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      out[kept] = row;
      kept = (kept + +((values[row] as number) <= bound)) | 0;
    }
    return kept;
  },
};

const above: Loops = {
  datums: (values, bound, selection, count, out) => {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as number | null;
      out[kept] = row;
      kept = (kept + +(value !== null && value > bound)) | 0;
    }
    return kept;
  },
  numbers: (values, bound, selection, count, out) => {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      out[kept] = row;
      kept = (kept + +((values[row] as number) > bound)) | 0;
    }
    return kept;
  },
};

const atLeast: Loops = {
  datums: (values, bound, selection, count, out) => {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as number | null;
      out[kept] = row;
      kept = (kept + +(value !== null && value >= bound)) | 0;
    }
    return kept;
  },
  numbers: (values, bound, selection, count, out) => {
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      out[kept] = row;
      kept = (kept + +((values[row] as number) >= bound)) | 0;
    }
    return kept;
  },
};
