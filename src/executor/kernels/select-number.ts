/** Keeps the rows whose number stands in a relation to a constant: one loop an operator, so that each compiles to one comparison. */

import { unreachable } from '#base';
import type { ComparisonOperator } from '#lir';
import type { Datum } from '#value';
import type { Selection, Vector } from '../batch/vector.ts';
import type { Evaluate, Select } from './kernel.ts';
import { selectSame } from './select-same.ts';

type Loop = (
  values: Vector,
  bound: number,
  selection: Selection,
  count: number,
  out: Selection,
) => number;

export function selectNumber(
  op: ComparisonOperator,
  evaluate: Evaluate,
  constant: () => Datum,
): Select {
  if (op === 'eq' || op === 'ne') return selectSame(op === 'eq', evaluate, constant);
  const loop = loopOf(op);
  return (columns, selection, count, out) => {
    const values = evaluate(columns, selection, count);
    const bound = constant();
    return bound === null ? 0 : loop(values, bound as number, selection, count, out);
  };
}

function loopOf(op: Exclude<ComparisonOperator, 'eq' | 'ne'>): Loop {
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

const below: Loop = (values, bound, selection, count, out) => {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const value = values[row] as number | null;
    out[kept] = row;
    kept = (kept + +(value !== null && value < bound)) | 0;
  }
  return kept;
};

const atMost: Loop = (values, bound, selection, count, out) => {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const value = values[row] as number | null;
    out[kept] = row;
    kept = (kept + +(value !== null && value <= bound)) | 0;
  }
  return kept;
};

const above: Loop = (values, bound, selection, count, out) => {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const value = values[row] as number | null;
    out[kept] = row;
    kept = (kept + +(value !== null && value > bound)) | 0;
  }
  return kept;
};

const atLeast: Loop = (values, bound, selection, count, out) => {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const value = values[row] as number | null;
    out[kept] = row;
    kept = (kept + +(value !== null && value >= bound)) | 0;
  }
  return kept;
};
