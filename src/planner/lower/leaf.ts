/** Plans relations without inputs: literal rows, finished results, and the frontier. */

import type { BoundColumn, BoundFrontier, BoundReference, BoundRows } from '../bind/bound.ts';
import { outputOf } from '../bind/columns.ts';
import { assumed } from '../cost/defaults.ts';
import { unordered } from '../order/ordering.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { Planning } from './planning.ts';
import type { Lowered, Requirements } from './required-columns.ts';

function leaf(plan: RelationPlan, columns: readonly BoundColumn[], rowsMax: number): Lowered {
  const columnIndexes = new Map(columns.map(({ id }, columnIndex) => [id, columnIndex]));
  const ordering = rowsMax <= 1 ? { ...unordered, totalAfter: 0 } : unordered;
  return { plan, columnIndexes, ordering, cost: plan.estimatedRows };
}

export function lowerRows(planning: Planning, relation: BoundRows): Lowered {
  const { columns, rows, rowsMax } = relation;
  const plan: RelationPlan = {
    kind: 'rows',
    id: planning.nextId(),
    parameter: planning.parameters.ofRows(relation),
    output: outputOf(columns),
    estimatedRows: rows.length,
  };
  return leaf(plan, columns, rowsMax);
}

/** Plans a reference to a result. Its columns are nullable whatever their declaration, because a left join may have padded them. */
export function lowerReference(
  planning: Planning,
  { columns, source }: BoundReference,
  { needed }: Requirements,
): Lowered {
  const kept = columns.flatMap(({ id }, i) => (needed.has(id) ? [i] : []));
  const taken = kept.map((i) => columns[i] as BoundColumn);
  const plan: RelationPlan = {
    kind: 'materialized',
    id: planning.nextId(),
    source,
    columnIndexes: kept,
    output: taken.map(({ name, type }) => ({ name, type, nullable: true })),
    estimatedRows: assumed.resultRows,
  };
  return leaf(plan, taken, Infinity);
}

export function lowerFrontier(planning: Planning, { columns, binding }: BoundFrontier): Lowered {
  const plan: RelationPlan = {
    kind: 'frontier',
    id: planning.nextId(),
    binding,
    output: columns.map(({ name, type }) => ({ name, type, nullable: true })),
    estimatedRows: assumed.frontierRows,
  };
  return leaf(plan, columns, Infinity);
}
