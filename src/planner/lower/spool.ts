/** Spools: what a plan that runs many times would read again each time is held in memory, by key where an equality gives one. */

import type { BoundCompare, BoundExpression, BoundRelation } from '../bind/bound.ts';
import { columnsReadBy } from '../bind/columns-read.ts';
import { costs } from '../cost/defaults.ts';
import { groupsOf } from '../cost/groups.ts';
import { areOutside, areWithin, type IdRange } from '../facts/id-range.ts';
import { unordered } from '../order/ordering.ts';
import type { RelationPlan } from '../plan/relation.ts';
import { lowerExpression } from './expression.ts';
import type { Frame } from './frame.ts';
import type { Planning } from './planning.ts';
import { type Lowered, rowsOf } from './want.ts';

/** An equality between the rows of a relation and the rows around it. */
export interface KeyPair {
  readonly conjunct: BoundExpression;
  /** Over the relation. */
  readonly inner: BoundExpression;
  /** Over enclosing rows only. */
  readonly outer: BoundExpression;
  readonly compare: BoundCompare;
}

/** Whether the relation may be evaluated once for all runs around it. */
export function isHoldable(planning: Planning, relation: BoundRelation): boolean {
  if (planning.options.crossings === 'nested') return false;
  const { isCorrelated, readsFrontier } = planning.dependences.of(relation);
  return !isCorrelated && !readsFrontier;
}

export function keyPairOf(conjunct: BoundExpression, inside: IdRange): KeyPair | undefined {
  if (conjunct.kind !== 'compare' || conjunct.op !== 'eq') return undefined;
  const { left, right } = conjunct;
  const [ofLeft, ofRight] = [columnsReadBy(left), columnsReadBy(right)];
  const isInner = (read: ReadonlySet<number>) => read.size > 0 && areWithin(read, inside);
  const isOuter = (read: ReadonlySet<number>) => read.size > 0 && areOutside(read, inside);
  if (isInner(ofLeft) && isOuter(ofRight))
    return { conjunct, inner: left, outer: right, compare: conjunct };
  if (isInner(ofRight) && isOuter(ofLeft))
    return { conjunct, inner: right, outer: left, compare: conjunct };
  return undefined;
}

/** What is held, and how it is asked. */
interface Spooled {
  readonly relation: BoundRelation;
  readonly pairs: readonly KeyPair[];
  /** Rows that are probably taken of each answer. */
  readonly goal: number;
}

/** `input` held by the inner sides of `pairs`, read by the outer ones. */
export function spooled(
  planning: Planning,
  input: Lowered,
  { relation, pairs, goal }: Spooled,
  frame: Frame | undefined,
): Lowered {
  const { plan, columnIndexes } = input;
  const inner = { columnIndexes, crossings: new Map(), frame: undefined };
  const outer = { columnIndexes: new Map(), crossings: new Map(), frame };
  const keys = pairs.map((pair) => pair.inner);
  const groups = groupsOf(keys, relation, rowsOf(plan), planning.counts);
  const rows = Math.max(1, Math.ceil(plan.estimatedRows / groups.rows));
  planning.filling += input.cost + plan.estimatedRows * costs.hashBuildRow;
  const spool: RelationPlan = {
    kind: 'spool',
    id: planning.nextId(),
    input: plan,
    keys: pairs.map((pair) => lowerExpression(planning, inner, pair.inner)),
    probe: pairs.map((pair) => lowerExpression(planning, outer, pair.outer)),
    output: plan.output,
    estimatedRows: rows,
    estimatedFrom: groups.origin,
  };
  // Of one run; the filling is shared by all of them.
  const taken = Math.min(rows, goal);
  return { plan: spool, columnIndexes, ordering: unordered, cost: costs.run + taken * costs.row };
}

/** The plan of an uncorrelated relation that runs for many rows, kept whole after its first run. */
export function heldWhole(
  planning: Planning,
  relation: BoundRelation,
  plan: RelationPlan,
): RelationPlan {
  if (!isHoldable(planning, relation)) return plan;
  const { output, estimatedRows } = plan;
  const id = planning.nextId();
  return { kind: 'spool', id, input: plan, keys: [], probe: [], output, estimatedRows };
}
