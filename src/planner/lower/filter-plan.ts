/** A filter on top of a finished plan. */

import type { BoundExpression } from '../bind/bound.ts';
import { costs } from '../cost/defaults.ts';
import { conjunction } from '../rewrite/conjuncts.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import { lowerExpression, type RowSource } from './expression.ts';
import type { Estimate, Planning } from './planning.ts';
import type { Lowered } from './required-columns.ts';

interface FilterWork {
  readonly conjuncts: readonly BoundExpression[];
  readonly crossings?: RowSource['crossings'];
  readonly frame: CorrelationFrame | undefined;
  /** Estimate of the rows that pass the filter. */
  readonly estimate: Estimate;
}

export function withFilter(
  planning: Planning,
  input: Lowered,
  { conjuncts, crossings = new Map(), frame, estimate }: FilterWork,
): Lowered {
  const condition = conjunction(conjuncts);
  if (condition === undefined) return input;
  const { plan, columnIndexes, ordering } = input;
  const predicate = lowerExpression(planning, { columnIndexes, crossings, frame }, condition);
  const { output } = plan;
  const id = planning.nextId();
  return {
    plan: { kind: 'filter', id, input: plan, predicate, output, ...estimate },
    columnIndexes,
    ordering,
    cost: input.cost + plan.estimatedRows * costs.row,
  };
}
