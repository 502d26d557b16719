/** Plans joins. If one side is small and the other has a usable key, the other side is looked up by key. Other equalities use a hash or merge join. All other joins test pair by pair. */

import type { Steps } from '#base';
import type { BoundExpression, BoundJoin, BoundRelation } from '../bind/bound.ts';
import { addColumnsReadBy, columnsReadBy } from '../bind/columns-read.ts';
import { conjunctsOf } from '../bind/unique-proof.ts';
import { sortCost } from '../cost/defaults.ts';
import { areOutside, type IdRange, idRangeOf, isWithin } from '../facts/id-range.ts';
import { satisfies } from '../order/ordering.ts';
import { conjunction, divide, isTrue } from '../rewrite/conjuncts.ts';
import { withTestsAbove } from '../rewrite/deferred-filters.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import { arranged } from './join-order.ts';
import { hashJoin, loopJoin } from './join-plan.ts';
import { canLookUp, lookupJoin } from './lookup-join.ts';
import { inOrder, mergeJoin } from './merge-join.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { type Lowered, type Requirements, requireColumns } from './required-columns.ts';
import { isMaterializable, type KeyPair, keyPairOf, materializeWhole } from './spool.ts';

/** A join whose condition is split into key equalities and a residual. */
export interface JoinParts {
  readonly join: 'inner' | 'left';
  readonly left: BoundRelation;
  readonly right: BoundRelation;
  /** Equalities. `inner` reads the right side, `outer` reads the left side and enclosing rows. */
  readonly pairs: readonly KeyPair[];
  /** The conjunction of all other conjuncts. */
  readonly residual: BoundExpression | undefined;
  /** The whole condition. */
  readonly on: BoundExpression;
  readonly needed: ReadonlySet<number>;
}

export function* lowerJoin(
  planning: Planning,
  join: BoundJoin,
  required: Requirements,
): Steps<Lowered> {
  const parts = partsOf(planning, join, required.needed);
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  const better = yield* arranged(planning, join, required);
  const best = better === join ? parts : partsOf(planning, better, required.needed);
  const plain = yield* lowerPlain(planning, best, required);
  const early = (yield* lowerInOrder(planning, parts, required, plain)) ?? plain;
  const late = yield* lowerLate(planning, join, required);
  if (late === undefined) return early;
  const costOf = (lowered: Lowered) => lowered.cost + sortLeft(lowered, required);
  return costOf(late) < costOf(early) ? late : early;
}

/** Plans the join with the crossings that filter its sides tested above it. */
function* lowerLate(
  planning: Planning,
  join: BoundJoin,
  required: Requirements,
): Steps<Lowered | undefined> {
  if (join.join !== 'inner' || !planning.uses('late_tests') || !planning.mayTry) return undefined;
  const tested = withTestsAbove(join, planning.facts);
  return tested && (yield* planning.trial(lowerRelation(planning, tested, required)));
}

function partsOf(planning: Planning, join: BoundJoin, wanted: ReadonlySet<number>): JoinParts {
  const { free } = divide(join.on, planning.facts);
  const [left, right] = [idRangeOf(join.left), idRangeOf(join.right)];
  const pairs = free.flatMap((conjunct) => keyPairBetween(conjunct, left, right) ?? []);
  const paired = new Set(pairs.map(({ conjunct }) => conjunct));
  const residual = conjunctsOf(join.on).filter((conjunct) => !paired.has(conjunct));
  const needed = new Set(wanted);
  addColumnsReadBy(join.on, needed);
  return {
    join: join.join,
    left: join.left,
    right: join.right,
    pairs,
    residual: conjunction(residual.filter((conjunct) => !isTrue(conjunct))),
    on: join.on,
    needed,
  };
}

function keyPairBetween(
  conjunct: BoundExpression,
  left: IdRange,
  right: IdRange,
): KeyPair | undefined {
  const pair = keyPairOf(conjunct, right);
  if (pair === undefined) return undefined;
  return areOutside(columnsReadBy(pair.outer), left) ? undefined : pair;
}

/** Plans the join with the cheapest method. A remaining sort into the order that the consumer wants counts as part of the cost. */
function* lowerPlain(planning: Planning, parts: JoinParts, required: Requirements): Steps<Lowered> {
  const { left, right, needed, pairs } = parts;
  const { frame } = required;
  const ofLeft = yield* lowerRelation(planning, left, requireColumns(needed, frame));
  const ofRight = yield* lowerRelation(planning, right, requireColumns(needed, frame));
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  if (pairs.length === 0) {
    const held = { ...ofRight, plan: repeatable(planning, right, ofRight, frame) };
    return loopJoin(planning, parts, { left: ofLeft, right: held }, frame);
  }
  const sides = { left: ofLeft, right: ofRight };
  const candidates = [hashJoin(planning, parts, sides, frame)];
  const lookups = [
    yield* lookupJoin(planning, parts, sides, frame),
    parts.join === 'inner'
      ? yield* lookupJoin(planning, swapped(parts), { left: ofRight, right: ofLeft }, frame)
      : undefined,
  ];
  const merged = mergeJoin(planning, parts, sides, required);
  const sorted = merged === undefined ? yield* inOrder(planning, parts, sides, frame) : undefined;
  const merges = [merged, sorted && mergeJoin(planning, parts, sorted, required)];
  for (const other of [...lookups, ...merges]) if (other !== undefined) candidates.push(other);
  const costOf = (candidate: Lowered) => candidate.cost + sortLeft(candidate, required);
  return candidates.reduce((best, next) => (costOf(next) < costOf(best) ? next : best));
}

/** Returns the cost of sorting the rows into the wanted order; 0 if they already have it or no order is wanted. */
function sortLeft({ plan, ordering }: Lowered, { order, isTop, goal }: Requirements): number {
  if (order === undefined || satisfies(ordering, order)) return 0;
  const rows = plan.estimatedRows;
  return sortCost(rows, isTop ? goal : rows);
}

/** Exchanges the sides of an inner join. Columns are found by id, so nothing else changes. */
function swapped(parts: JoinParts): JoinParts {
  const pairs = parts.pairs.map((pair) => ({ ...pair, inner: pair.outer, outer: pair.inner }));
  return { ...parts, left: parts.right, right: parts.left, pairs };
}

function repeatable(
  planning: Planning,
  relation: BoundRelation,
  { plan }: Lowered,
  frame: CorrelationFrame | undefined,
): Lowered['plan'] {
  return planning.isRepeated(frame) && isMaterializable(planning, relation)
    ? materializeWhole(planning, relation, plan)
    : plan;
}

/** Plans the join for a consumer that takes a few rows in an order that the left side can deliver. The matches of each left row are looked up one by one. */
function* lowerInOrder(
  planning: Planning,
  parts: JoinParts,
  required: Requirements,
  plain: Lowered,
): Steps<Lowered | undefined> {
  const { order, goal, frame } = required;
  if (order === undefined || goal === Infinity || !planning.mayTry) return undefined;
  if (!canLookUp(planning, parts)) return undefined;
  const own = idRangeOf(parts.left);
  if (!order.every(({ id }) => isWithin(id, own))) return undefined;
  const wanted = { ...requireColumns(parts.needed, frame), ordered: true, order, goal };
  const left = yield* planning.trial(lowerRelation(planning, parts.left, wanted));
  const sorted = satisfies(left.ordering, order)
    ? yield* lookupJoin(planning, parts, { left, right: left }, frame)
    : undefined;
  if (sorted === undefined) return undefined;
  const share = Math.min(1, goal / Math.max(1, sorted.plan.estimatedRows));
  const cost = left.cost + (sorted.cost - left.cost) * share;
  return cost < plain.cost + sortLeft(plain, required) ? { ...sorted, cost } : undefined;
}
