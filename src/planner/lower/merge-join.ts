/** Merge joins, for sides that are already sorted by the keys, or that can be read in that order at little cost. */

import type { Steps } from '#base';
import { isScalarType } from '#value';
import type { BoundExpression, BoundRelation, BoundScan } from '../bind/bound.ts';
import { conjunctsOf } from '../bind/unique-proof.ts';
import { costs } from '../cost/defaults.ts';
import {
  type ColumnPair,
  heldSide,
  type MergeOrder,
  mergedOrdering,
  mergeOrder,
} from '../order/merge-order.ts';
import { isKeyColumn, type Ordering, satisfies } from '../order/ordering.ts';
import type { MergeJoinPlan } from '../plan/relation.ts';
import { isTrue } from '../rewrite/conjuncts.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import { withFilter } from './filter-plan.ts';
import type { JoinParts } from './join.ts';
import {
  joinedColumnIndexes,
  joinedOutput,
  joinedRows,
  joinPart,
  type Sides,
} from './join-plan.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { type Lowered, type Requirements, requireColumns } from './required-columns.ts';
import type { KeyPair } from './spool.ts';

interface MergePair extends ColumnPair {
  readonly pair: KeyPair;
}

/** Returns whether a merge join is allowed. A plan that runs once per outer row uses a hash join instead, which keeps its build side between runs. */
export function mayMerge(planning: Planning, frame: CorrelationFrame | undefined): boolean {
  return planning.uses('merge_join') && !planning.isRepeated(frame);
}

/** Plans a merge join; `undefined` if the sides are not sorted by their keys. */
export function mergeJoin(
  planning: Planning,
  parts: JoinParts,
  sides: Sides,
  required: Requirements,
): Lowered | undefined {
  const { frame } = required;
  if (!mayMerge(planning, frame)) return undefined;
  const { left, right } = sides;
  const order = mergeOrder(left.ordering, right.ordering, mergePairs(parts));
  if (order === undefined) return undefined;
  const merged = new Set(order.pairs.map(({ pair }) => pair.conjunct));
  const rest = conjunctsOf(parts.on).filter((it) => !merged.has(it) && !isTrue(it));
  if (parts.join === 'left' && rest.length > 0) return undefined;
  const joined = merge(planning, parts, sides, order, required);
  if (rest.length === 0) return joined;
  const rows = joinedRows(planning, parts, sides);
  const estimate = planning.estimate(joinPart(planning, parts, frame), rows);
  const estimatedRows = Math.min(estimate.estimatedRows, joined.plan.estimatedRows);
  return withFilter(planning, joined, {
    conjuncts: rest,
    frame,
    estimate: { ...estimate, estimatedRows },
  });
}

/** Plans a merge join by the equalities of `order` alone. */
function merge(
  planning: Planning,
  parts: JoinParts,
  { left, right }: Sides,
  order: MergeOrder<MergePair>,
  required: Requirements,
): Lowered {
  const { join } = parts;
  const isWhole = order.pairs.length === parts.pairs.length && parts.residual === undefined;
  const equal = { ...parts, pairs: order.pairs.map(({ pair }) => pair), residual: undefined };
  const part = isWhole ? joinPart(planning, parts, required.frame) : undefined;
  const estimate = planning.estimate(part, joinedRows(planning, equal, { left, right }));
  const rows = estimate.estimatedRows;
  const held = heldSide(join, order);
  const columnIndexOf = ({ columnIndexes }: Lowered, id: number) => columnIndexes.get(id) as number;
  const plan: MergeJoinPlan = {
    kind: 'merge_join',
    id: planning.nextId(),
    join,
    left: left.plan,
    right: right.plan,
    leftKeys: order.pairs.map((pair) => columnIndexOf(left, pair.left)),
    rightKeys: order.pairs.map((pair) => columnIndexOf(right, pair.right)),
    held,
    isUnique: held === 'left' ? order.isLeftUnique : order.isRightUnique,
    output: joinedOutput(join, left.plan, right.plan),
    ...estimate,
  };
  const ordering = mergedOrdering(join, left.ordering, right.ordering, order);
  const read = left.plan.estimatedRows + right.plan.estimatedRows;
  const cost = left.cost + right.cost + read * costs.mergeRow + rows * costs.row;
  // If the rows come in the wanted order, the join stops reading both sides after the taken rows.
  const isOrdered = required.order !== undefined && satisfies(ordering, required.order);
  const share = isOrdered ? Math.min(1, required.goal / Math.max(1, rows)) : 1;
  return { plan, columnIndexes: joinedColumnIndexes(left, right), ordering, cost: cost * share };
}

/** Returns the equalities between plain columns of one scalar type. */
function mergePairs({ pairs }: Pick<JoinParts, 'pairs'>): readonly MergePair[] {
  return pairs.flatMap((pair) => {
    const { inner, outer } = pair;
    if (inner.kind !== 'column' || outer.kind !== 'column') return [];
    if (!isScalarType(inner.type) || inner.type.kind !== outer.type.kind) return [];
    return [{ left: outer.id, right: inner.id, pair }];
  });
}

/**
 * Returns the sides with one of them planned in the key order of the other, if an index of its table begins with the key column. Returns `undefined` if
 * there is no such index.
 */
export function* inOrder(
  planning: Planning,
  parts: JoinParts,
  { left, right }: Sides,
  frame: CorrelationFrame | undefined,
): Steps<Sides | undefined> {
  if (!mayMerge(planning, frame) || !planning.mayTry) return undefined;
  const pairs = mergePairs(parts);
  const ofRight = partnerOf(left.ordering, new Map(pairs.map((it) => [it.left, it.right])));
  if (ofRight !== undefined && isIndexed(parts.right, ofRight)) {
    return { left, right: yield* ordered(planning, parts, parts.right, ofRight, frame) };
  }
  const ofLeft = partnerOf(right.ordering, new Map(pairs.map((it) => [it.right, it.left])));
  if (ofLeft !== undefined && isIndexed(parts.left, ofLeft)) {
    return { left: yield* ordered(planning, parts, parts.left, ofLeft, frame), right };
  }
  return undefined;
}

/** Returns the column that equals the first key of an ascending order. */
function partnerOf({ keys: [first] }: Ordering, pairs: ReadonlyMap<number, number>) {
  if (first === undefined || first.descending) return undefined;
  for (const [column, partner] of pairs) if (isKeyColumn(first, column)) return partner;
  return undefined;
}

function* ordered(
  planning: Planning,
  { needed }: JoinParts,
  relation: BoundRelation,
  id: number,
  frame: CorrelationFrame | undefined,
): Steps<Lowered> {
  const required = { ...requireColumns(needed, frame), order: [{ id, descending: false }] };
  return yield* planning.trial(lowerRelation(planning, relation, required));
}

/** Returns whether an index begins with this table column. The index need not hold the other columns that are read. */
function isIndexed(relation: BoundRelation, id: number): boolean {
  let at = relation;
  let column = id;
  while (at.kind === 'project' || at.kind === 'filter') {
    if (at.kind === 'project') {
      const below = fieldOf(at, column);
      if (below?.kind !== 'column') return false;
      column = below.id;
    }
    at = at.input;
  }
  return at.kind === 'scan' && isFirstOfIndex(at, column);
}

function fieldOf(
  { columns, fields }: Extract<BoundRelation, { kind: 'project' }>,
  id: number,
): BoundExpression | undefined {
  return fields[columns.findIndex((column) => column.id === id)];
}

function isFirstOfIndex({ table, columns }: BoundScan, id: number): boolean {
  const column = table.columns[columns.findIndex((candidate) => candidate.id === id)];
  return table.indexes.some((index) => index.columns[0] === column?.id);
}
