/** Spools: materialized inputs of plans that run repeatedly, hashed by key if an equality provides one. */

import type { BoundCompare, BoundExpression, BoundRelation } from '../bind/bound.ts';
import { columnsReadBy } from '../bind/columns-read.ts';
import { costs } from '../cost/defaults.ts';
import { groupsOf } from '../cost/groups.ts';
import { areOutside, areWithin, type IdRange } from '../facts/id-range.ts';
import { unordered } from '../order/ordering.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import { lowerExpression } from './expression.ts';
import type { Planning } from './planning.ts';
import { type Lowered, rowsOf } from './required-columns.ts';

/** An equality between a relation and the rows that enclose it. */
export interface KeyPair {
  readonly conjunct: BoundExpression;
  /** The side that reads only the relation. */
  readonly inner: BoundExpression;
  /** The side that reads only enclosing rows. */
  readonly outer: BoundExpression;
  readonly compare: BoundCompare;
}

/** Returns whether the relation may be evaluated once for all runs of the plan that contains it. */
export function isMaterializable(planning: Planning, relation: BoundRelation): boolean {
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

/** A relation to materialize, and the equalities by which it is read. */
interface Spooled {
  readonly relation: BoundRelation;
  readonly pairs: readonly KeyPair[];
  /** Expected number of rows that the consumer takes per probe. */
  readonly goal: number;
}

/** Plans a spool of `input`, hashed by the inner sides of `pairs` and probed with their outer sides. */
export function spooled(
  planning: Planning,
  input: Lowered,
  { relation, pairs, goal }: Spooled,
  frame: CorrelationFrame | undefined,
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
  // Cost of one run. The cost of filling is shared by all runs.
  const taken = Math.min(rows, goal);
  return { plan: spool, columnIndexes, ordering: unordered, cost: costs.run + taken * costs.row };
}

/** Plans an uncorrelated relation that runs for many rows as a spool, which materializes it as a whole in the first run. */
export function materializeWhole(
  planning: Planning,
  relation: BoundRelation,
  plan: RelationPlan,
): RelationPlan {
  if (!isMaterializable(planning, relation)) return plan;
  const { output, estimatedRows } = plan;
  const id = planning.nextId();
  return { kind: 'spool', id, input: plan, keys: [], probe: [], output, estimatedRows };
}
