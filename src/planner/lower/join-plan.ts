/** Hash and loop joins over two planned sides. */

import type { BoundRelation } from '../bind/bound.ts';
import { costs } from '../cost/defaults.ts';
import { leastTrusted, type RowEstimate, type Selectivity } from '../cost/estimate.ts';
import { pairShare } from '../cost/join-rows.ts';
import { shareOf } from '../cost/selectivity.ts';
import { unordered } from '../order/ordering.ts';
import type { HashJoinPlan, LoopJoinPlan, RelationPlan } from '../plan/relation.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import { lowerExpression } from './expression.ts';
import type { JoinParts } from './join.ts';
import type { Planning } from './planning.ts';
import { type Lowered, rowsOf } from './required-columns.ts';

export interface Sides {
  readonly left: Lowered;
  readonly right: Lowered;
}

export function hashJoin(
  planning: Planning,
  parts: JoinParts,
  { left, right }: Sides,
  frame: CorrelationFrame | undefined,
): Lowered {
  const { join, pairs, residual } = parts;
  const columnIndexes = joinedColumnIndexes(left, right);
  const crossings = new Map();
  const leftRows = left.plan.estimatedRows;
  const rightRows = right.plan.estimatedRows;
  const build = join === 'inner' && leftRows < rightRows ? 'left' : 'right';
  const rows = joinedRows(planning, parts, { left, right });
  const plan: HashJoinPlan = {
    kind: 'hash_join',
    id: planning.nextId(),
    join,
    left: left.plan,
    right: right.plan,
    leftKeys: pairs.map(({ outer }) =>
      lowerExpression(planning, { columnIndexes: left.columnIndexes, crossings, frame }, outer),
    ),
    rightKeys: pairs.map(({ inner }) =>
      lowerExpression(planning, { columnIndexes: right.columnIndexes, crossings, frame }, inner),
    ),
    residual: residual && lowerExpression(planning, { columnIndexes, crossings, frame }, residual),
    build,
    output: joinedOutput(join, left.plan, right.plan),
    ...planning.estimate(joinPart(planning, parts, frame), rows),
  };
  const [built, probing] = build === 'left' ? [leftRows, rightRows] : [rightRows, leftRows];
  const held = built * costs.hashBuildRow + probing * costs.hashProbeRow;
  const work = held + plan.estimatedRows * costs.row;
  return { plan, columnIndexes, ordering: unordered, cost: left.cost + right.cost + work };
}

export function loopJoin(
  planning: Planning,
  { join, on, ...parts }: JoinParts,
  { left, right }: Sides,
  frame: CorrelationFrame | undefined,
): Lowered {
  const columnIndexes = joinedColumnIndexes(left, right);
  const pairs = left.plan.estimatedRows * right.plan.estimatedRows;
  const relations = [parts.left, parts.right];
  const kept = shareOf(on, { counts: planning.counts, relations });
  const passing = Math.max(1, pairs * kept.share);
  const plan: LoopJoinPlan = {
    kind: 'loop_join',
    id: planning.nextId(),
    join,
    left: left.plan,
    right: right.plan,
    on: lowerExpression(planning, { columnIndexes, crossings: new Map(), frame }, on),
    output: joinedOutput(join, left.plan, right.plan),
    estimatedRows: Math.ceil(
      join === 'left' ? Math.max(passing, left.plan.estimatedRows) : passing,
    ),
    estimatedFrom: leastTrusted(kept.origin, rowsOf(left.plan).origin, rowsOf(right.plan).origin),
  };
  const cost = left.cost + right.cost + pairs * costs.pair;
  return { plan, columnIndexes, ordering: unordered, cost };
}

/** Maps column ids of both sides to the joined row: left columns first, then right columns. */
export function joinedColumnIndexes(left: Lowered, right: Lowered): ReadonlyMap<number, number> {
  const columnIndexes = new Map(left.columnIndexes);
  const offset = left.plan.output.length;
  for (const [id, columnIndex] of right.columnIndexes) columnIndexes.set(id, offset + columnIndex);
  return columnIndexes;
}

export function joinedOutput(
  join: 'inner' | 'left',
  left: RelationPlan,
  right: RelationPlan,
): RelationPlan['output'] {
  if (join === 'inner') return [...left.output, ...right.output];
  return [...left.output, ...right.output.map((column) => ({ ...column, nullable: true }))];
}

/** Returns the feedback name of a join; `undefined` if the join runs once per outer row, or has too many relations. The name does not depend on the order of its inner joins. */
export function joinPart(
  planning: Planning,
  { join, left, right }: Pick<JoinParts, 'join' | 'left' | 'right'>,
  frame: CorrelationFrame | undefined,
): string | undefined {
  if (planning.isRepeated(frame)) return undefined;
  const nodes = join === 'inner' ? nodesJoined([left, right]) : undefined;
  if (join === 'inner') return nodes && partOfNodes(nodes);
  const [ofLeft, ofRight] = [nodesJoined([left]), nodesJoined([right])];
  return ofLeft && ofRight && `${partOfNodes(ofLeft)} left ${partOfNodes(ofRight)}`;
}

/** Names an inner join of the relations with these nodes. */
export function partOfNodes(nodes: readonly string[]): string {
  return `${[...nodes].sort().join(' + ')} joined`;
}

const nodesMax = 64;

/** Returns the nodes of the relations that inner joins combine; `undefined` for more than `nodesMax` nodes. */
export function nodesJoined(relations: readonly BoundRelation[]): readonly string[] | undefined {
  const nodes: string[] = [];
  const open = [...relations];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (nodes.length + open.length > nodesMax) return undefined;
    if (at.kind === 'join' && at.join === 'inner') open.push(at.left, at.right);
    else nodes.push(at.node);
  }
  return nodes;
}

/** Estimates the joined rows from the statistics of the keys. Without statistics, each row of the larger side is assumed to have one match. */
export function joinedRows(planning: Planning, parts: JoinParts, sides: Sides): RowEstimate {
  const [left, right] = [rowsOf(sides.left.plan), rowsOf(sides.right.plan)];
  const pairs = parts.pairs.map(({ inner, outer }) => ({
    left: { expression: outer, relation: parts.left },
    right: { expression: inner, relation: parts.right },
  }));
  const share = pairShare(pairs, planning.counts);
  const kept = residualShare(planning, parts);
  const each = share?.share ?? 1 / Math.max(1, Math.min(left.rows, right.rows));
  const found = left.rows * right.rows * each * kept.share;
  const rows = Math.ceil(parts.join === 'left' ? Math.max(found, left.rows) : found);
  const origin = leastTrusted(left.origin, right.origin, share?.origin ?? 'assumed', kept.origin);
  return { rows: Math.max(1, rows), origin };
}

/** Estimates the share of pairs that satisfy the conditions other than the equalities. */
export function residualShare(
  planning: Planning,
  { left, right, residual }: JoinParts,
): Selectivity {
  if (residual === undefined) return { share: 1, origin: 'proven' };
  return shareOf(residual, { counts: planning.counts, relations: [left, right] });
}
