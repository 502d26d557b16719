/** Plans bag and set operators, and distinct. The rows of their inputs consist of exactly the columns that are compared. */

import type { Steps } from '#base';
import type {
  BoundColumn,
  BoundConcatenate,
  BoundDistinct,
  BoundRelation,
  BoundSet,
} from '../bind/bound.ts';
import { costs } from '../cost/defaults.ts';
import { leastTrusted } from '../cost/estimate.ts';
import { groupsOf } from '../cost/groups.ts';
import { unordered } from '../order/ordering.ts';
import type { RelationPlan } from '../plan/relation.ts';
import { isDistinct } from '../rewrite/redundant-distinct.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import { trimmed } from './output.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { type Lowered, type Requirements, requireAll, rowsOf } from './required-columns.ts';

function* lowerExactly(
  planning: Planning,
  relation: BoundRelation,
  columns: readonly BoundColumn[],
  frame: CorrelationFrame | undefined,
): Steps<Lowered> {
  const required = requireAll(columns, frame);
  return trimmed(planning, yield* lowerRelation(planning, relation, required), columns);
}

export function* lowerConcatenate(
  planning: Planning,
  { columns, inputs }: BoundConcatenate,
  { needed, frame }: Requirements,
): Steps<Lowered> {
  const kept = columns.flatMap(({ id }, i) => (needed.has(id) ? [i] : []));
  const lowered: Lowered[] = [];
  for (const input of inputs) {
    const taken = kept.map((i) => input.columns[i] as BoundColumn);
    lowered.push(yield* lowerExactly(planning, input, taken, frame));
  }
  const plans = lowered.map(({ plan }) => plan);
  const plan: RelationPlan = {
    kind: 'concatenate',
    id: planning.nextId(),
    inputs: plans,
    output: kept.map((i, columnIndex) => {
      const { name, type } = columns[i] as BoundColumn;
      return {
        name,
        type,
        nullable: plans.some(({ output }) => output[columnIndex]?.nullable !== false),
      };
    }),
    estimatedRows: plans.reduce((sum, { estimatedRows }) => sum + estimatedRows, 0),
    estimatedFrom: leastTrusted(...plans.map((input) => rowsOf(input).origin)),
  };
  const columnIndexes = new Map(
    kept.map((i, columnIndex) => [(columns[i] as BoundColumn).id, columnIndex]),
  );
  const cost = lowered.reduce((sum, input) => sum + input.cost, 0);
  return { plan, columnIndexes, ordering: unordered, cost };
}

export function* lowerSet(
  planning: Planning,
  { kind, quantifier, columns, ...sides }: BoundSet,
  { frame }: Requirements,
): Steps<Lowered> {
  const left = yield* lowerExactly(planning, sides.left, sides.left.columns, frame);
  const right = yield* lowerExactly(planning, sides.right, sides.right.columns, frame);
  const [leftRows, rightRows] = [left.plan.estimatedRows, right.plan.estimatedRows];
  const plan: RelationPlan = {
    kind,
    id: planning.nextId(),
    left: left.plan,
    right: right.plan,
    quantifier,
    output: left.plan.output,
    estimatedRows: kind === 'except' ? leftRows : Math.min(leftRows, rightRows),
    estimatedFrom: 'assumed',
  };
  const columnIndexes = new Map(columns.map(({ id }, columnIndex) => [id, columnIndex]));
  const work = rightRows * costs.hashBuildRow + leftRows * costs.hashProbeRow;
  return { plan, columnIndexes, ordering: unordered, cost: left.cost + right.cost + work };
}

export function* lowerDistinct(
  planning: Planning,
  { columns, input }: BoundDistinct,
  { frame }: Requirements,
): Steps<Lowered> {
  const lowered = yield* lowerExactly(planning, input, columns, frame);
  if (planning.uses('redundant_distinct') && isDistinct(input)) return lowered;
  const { plan: source, columnIndexes, cost } = lowered;
  const columnUses = columns.map(({ id, type, nullable }) => ({
    kind: 'column' as const,
    id,
    type,
    nullable,
  }));
  const groups = groupsOf(columnUses, input, rowsOf(source), planning.counts);
  const plan: RelationPlan = {
    kind: 'distinct',
    id: planning.nextId(),
    input: source,
    output: source.output,
    ...planning.estimate(planning.partIn(frame, `${input.node} distinct`), groups),
  };
  const work = source.estimatedRows * costs.hashBuildRow;
  return { plan, columnIndexes, ordering: unordered, cost: cost + work };
}
