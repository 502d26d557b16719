/** Plans filters: in the access path of a table, in a spool, or above their input. */

import type { Steps } from '#base';
import type { BoundExpression, BoundFilter, BoundRelation } from '../bind/bound.ts';
import { addColumnsReadBy, columnsReadBy } from '../bind/columns-read.ts';
import { shareOf, shareOfAll } from '../cost/selectivity.ts';
import { areWithin, idRangeOf } from '../facts/id-range.ts';
import { divide, filtered } from '../rewrite/conjuncts.ts';
import { withSemiJoin } from '../rewrite/semi-join.ts';
import { attach } from './attach.ts';
import { withFilter } from './filter-plan.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { type Lowered, type Requirements, requireColumns } from './required-columns.ts';
import { accessFor, scanBy } from './scan.ts';
import { isMaterializable, type KeyPair, keyPairOf, spooled } from './spool.ts';

export function* lowerFilter(
  planning: Planning,
  filter: BoundFilter,
  required: Requirements,
): Steps<Lowered> {
  const { free, rest } = divide(filter.predicate, planning.facts);
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  const needed = new Set(required.needed);
  if (rest !== undefined) addColumnsReadBy(rest, needed);
  const known = { counts: planning.counts, relations: [filter.input] };
  const share = rest === undefined ? 1 : shareOf(rest, known).share;
  const wanted = { ...required, needed, limit: undefined, goal: required.goal / share };
  const below = yield* lowerFree(planning, filter.input, free, wanted);
  if (rest === undefined) return below;
  const parts = { filter, free, rest };
  const tested = yield* lowerTests(planning, parts, required, below);
  const joined = yield* lowerAsJoin(planning, parts, required);
  return joined !== undefined && joined.cost < tested.cost ? joined : tested;
}

interface FilterParts {
  readonly filter: BoundFilter;
  readonly free: readonly BoundExpression[];
  readonly rest: BoundExpression;
}

/** Plans `exists` as a join, if no expression can raise and the consumer does not see the order. */
function* lowerAsJoin(
  planning: Planning,
  { filter, free, rest }: FilterParts,
  required: Requirements,
): Steps<Lowered | undefined> {
  if (required.ordered || planning.isRepeated(required.frame) || !planning.uses('semi_join'))
    return undefined;
  if (!planning.mayTry || planning.failures.canRaise(rest)) return undefined;
  // A join may skip a side if the other side is empty. An error of the skipped side would then be lost.
  if (planning.failures.relationCanRaise(filter.input)) return undefined;
  const whole = { ...filter, input: filtered(filter.input, free), predicate: rest };
  const joined = withSemiJoin(whole, {
    isFree: (inner) =>
      isMaterializable(planning, inner) && !planning.failures.relationCanRaise(inner),
    rewritten: (inner) => planning.rewritten(inner),
  });
  if (joined === undefined) return undefined;
  return yield* planning.trial(lowerRelation(planning, joined, required));
}

/** Plans the filter with its crossings evaluated for each row. */
function* lowerTests(
  planning: Planning,
  { filter, rest }: FilterParts,
  { frame }: Requirements,
  below: Lowered,
): Steps<Lowered> {
  const known = { counts: planning.counts, relations: [filter.input] };
  const { share, origin } = shareOf(rest, known);
  const { lowered, crossings } = yield* attach(planning, below, [rest], frame);
  const kept = { rows: Math.max(1, lowered.plan.estimatedRows * share), origin };
  const estimate = planning.estimate(planning.partIn(frame, `${filter.node} rest`), kept);
  return withFilter(planning, lowered, { conjuncts: [rest], crossings, frame, estimate });
}

/** Plans `input` filtered by conjuncts that can neither raise nor contain crossings. */
function* lowerFree(
  planning: Planning,
  input: BoundRelation,
  conjuncts: readonly BoundExpression[],
  required: Requirements,
): Steps<Lowered> {
  const { frame } = required;
  const pairs = frame === undefined ? [] : pairsWithin(planning, input, conjuncts);
  if (input.kind === 'scan') {
    const choice = accessFor(planning, input, conjuncts, required);
    const wait = planning.between();
    if (wait !== undefined) yield wait;
    const remaining = new Set(choice.remaining);
    const usesKey = pairs.some(({ conjunct }) => !remaining.has(conjunct));
    if (pairs.length === 0 || usesKey) return scanBy(planning, input, choice, required);
  }
  if (pairs.length > 0) return yield* lowerBySpool(planning, { input, conjuncts, pairs }, required);
  const needed = new Set(required.needed);
  for (const conjunct of conjuncts) addColumnsReadBy(conjunct, needed);
  const { share, origin } = shareOfAll(conjuncts, { counts: planning.counts, relations: [input] });
  const goal = required.goal / share;
  const lowered = yield* lowerRelation(planning, input, { ...required, needed, goal });
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  const kept = { rows: Math.max(1, lowered.plan.estimatedRows * share), origin };
  const estimate = planning.estimate(planning.partIn(frame, `${input.node} filtered`), kept);
  return withFilter(planning, lowered, { conjuncts, frame, estimate });
}

function pairsWithin(
  planning: Planning,
  input: BoundRelation,
  conjuncts: readonly BoundExpression[],
): readonly KeyPair[] {
  const inside = idRangeOf(input);
  const pairs = conjuncts.flatMap((conjunct) => keyPairOf(conjunct, inside) ?? []);
  return pairs.length > 0 && isMaterializable(planning, input) ? pairs : [];
}

interface SpoolWork {
  readonly input: BoundRelation;
  readonly conjuncts: readonly BoundExpression[];
  readonly pairs: readonly KeyPair[];
}

/** Plans a spool. Conjuncts over the input alone are tested below the spool, the pairs become its key, and all other conjuncts are tested above it. */
function* lowerBySpool(
  planning: Planning,
  { input, conjuncts, pairs }: SpoolWork,
  required: Requirements,
): Steps<Lowered> {
  const inside = idRangeOf(input);
  const paired = new Set(pairs.map(({ conjunct }) => conjunct));
  const others = conjuncts.filter((conjunct) => !paired.has(conjunct));
  const isInside = (conjunct: BoundExpression) => areWithin(columnsReadBy(conjunct), inside);
  const below = others.filter(isInside);
  const above = others.filter((conjunct) => !isInside(conjunct));
  const needed = new Set(required.needed);
  for (const { inner } of pairs) addColumnsReadBy(inner, needed);
  for (const conjunct of above) addColumnsReadBy(conjunct, needed);
  const held = yield* lowerFree(planning, input, below, requireColumns(needed, undefined));
  const { frame } = required;
  const spool = spooled(planning, held, { relation: input, pairs, goal: required.goal }, frame);
  const kept = shareOfAll(above, { counts: planning.counts, relations: [input] });
  const rows = Math.max(1, spool.plan.estimatedRows * kept.share);
  const estimate = planning.estimate(undefined, { rows, origin: kept.origin });
  return withFilter(planning, spool, { conjuncts: above, frame, estimate });
}
