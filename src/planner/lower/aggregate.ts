/** Plans aggregates. A fold that no consumer reads is omitted unless computing it can raise an error. */

import type { Steps } from '#base';
import type { BoundAggregate, BoundFold } from '../bind/bound.ts';
import { addColumnsReadBy } from '../bind/columns-read.ts';
import { costs } from '../cost/defaults.ts';
import { groupsOf } from '../cost/groups.ts';
import { unordered } from '../order/ordering.ts';
import type { RelationPlan } from '../plan/relation.ts';
import { attach } from './attach.ts';
import { lowerExpression } from './expression.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { type Lowered, type Requirements, requireColumns, rowsOf } from './required-columns.ts';

export function* lowerAggregate(
  planning: Planning,
  aggregate: BoundAggregate,
  { needed: wanted, frame }: Requirements,
): Steps<Lowered> {
  const { groups, folds, isGlobal, columns } = aggregate;
  const kept = folds.flatMap((fold, i) => {
    const column = columns[groups.length + i] as BoundAggregate['columns'][number];
    return wanted.has(column.id) || canRaise(planning, fold) ? [{ fold, column }] : [];
  });
  const expressions = [...groups, ...kept.flatMap(({ fold }) => fold.argument ?? [])];
  const needed = new Set<number>();
  for (const expression of expressions) addColumnsReadBy(expression, needed);
  const input = yield* lowerRelation(planning, aggregate.input, requireColumns(needed, frame));
  const { lowered, crossings } = yield* attach(planning, input, expressions, frame);
  const row = { columnIndexes: lowered.columnIndexes, crossings, frame };
  const output = [...columns.slice(0, groups.length), ...kept.map(({ column }) => column)];
  const inputRows = lowered.plan.estimatedRows;
  const estimate = isGlobal
    ? planning.estimate(undefined, { rows: 1, origin: 'proven' })
    : planning.estimate(
        planning.partIn(frame, `${aggregate.node} groups`),
        groupsOf(groups, aggregate.input, rowsOf(lowered.plan), planning.counts),
      );
  const plan: RelationPlan = {
    kind: 'aggregate',
    id: planning.nextId(),
    input: lowered.plan,
    groups: groups.map((group) => lowerExpression(planning, row, group)),
    folds: kept.map(({ fold: { fn, argument }, column }) => ({
      fn,
      argument: argument && lowerExpression(planning, row, argument),
      type: column.type,
    })),
    isGlobal,
    output: output.map(({ name, type }, i) => ({
      name,
      type,
      nullable: i < groups.length || kept[i - groups.length]?.fold.fn !== 'count',
    })),
    ...estimate,
  };
  return {
    plan,
    columnIndexes: new Map(output.map(({ id }, columnIndex) => [id, columnIndex])),
    ordering: isGlobal ? { ...unordered, totalAfter: 0 } : unordered,
    cost: lowered.cost + inputRows * costs.hashProbeRow,
  };
}

function canRaise({ failures }: Planning, { fn, argument }: BoundFold): boolean {
  if (fn === 'sum' || fn === 'avg') return true;
  return argument !== undefined && failures.canRaise(argument);
}
