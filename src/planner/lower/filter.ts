/** Filters: into the access path of a table, into a spool, or above their input. */

import type { Steps } from '#base';
import type { BoundExpression, BoundFilter, BoundRelation } from '../bind/bound.ts';
import { shareOf, shareOfAll } from '../cost/selectivity.ts';
import { addColumnsReadBy, columnsReadBy } from '../facts/columns-read.ts';
import { areWithin, idRangeOf } from '../facts/id-range.ts';
import { divide } from '../rewrite/conjuncts.ts';
import { attach } from './attach.ts';
import { withFilter } from './filter-plan.ts';
import type { Frame } from './frame.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { accessFor, isPart, scanBy } from './scan.ts';
import { isHoldable, type KeyPair, keyPairOf, spooled } from './spool.ts';
import { type Lowered, type Want, wantBag } from './want.ts';

export function* lowerFilter(
  planning: Planning,
  filter: BoundFilter,
  want: Want,
  frame: Frame | undefined,
): Steps<Lowered> {
  const { free, rest } = divide(filter.predicate, planning.facts);
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  const needed = new Set(want.needed);
  if (rest !== undefined) addColumnsReadBy(rest, needed);
  const known = { counts: planning.counts, relations: [filter.input] };
  const { share, origin } =
    rest === undefined ? ({ share: 1, origin: 'proven' } as const) : shareOf(rest, known);
  const below = yield* lowerFree(planning, filter.input, free, {
    want: { ...want, needed, limit: undefined, goal: want.goal / share },
    frame,
  });
  if (rest === undefined) return below;
  const { lowered, crossings } = yield* attach(planning, below, [rest], frame);
  const kept = { rows: Math.max(1, lowered.plan.estimatedRows * share), origin };
  const part = isPart(planning, frame) ? { part: `${filter.node} rest` } : {};
  const { rows, origin: from } = planning.corrected(part.part, kept);
  const work = { conjuncts: [rest], crossings, frame, rows, origin: from, ...part };
  return withFilter(planning, lowered, work);
}

interface Around {
  readonly want: Want;
  readonly frame: Frame | undefined;
}

/** `input` filtered by conjuncts that can neither raise nor contain crossings. */
function* lowerFree(
  planning: Planning,
  input: BoundRelation,
  conjuncts: readonly BoundExpression[],
  { want, frame }: Around,
): Steps<Lowered> {
  const pairs = frame === undefined ? [] : pairsWithin(planning, input, conjuncts);
  if (input.kind === 'scan') {
    const choice = accessFor(planning, input, conjuncts, {
      ...want,
      isPart: isPart(planning, frame),
    });
    const wait = planning.between();
    if (wait !== undefined) yield wait;
    const remaining = new Set(choice.remaining);
    const usesKey = pairs.some(({ conjunct }) => !remaining.has(conjunct));
    if (pairs.length === 0 || usesKey) return scanBy(planning, input, choice, want, frame);
  }
  if (pairs.length > 0)
    return yield* lowerBySpool(planning, { input, conjuncts, pairs }, { want, frame });
  const needed = new Set(want.needed);
  for (const conjunct of conjuncts) addColumnsReadBy(conjunct, needed);
  const { share, origin } = shareOfAll(conjuncts, { counts: planning.counts, relations: [input] });
  const goal = want.goal / share;
  const lowered = yield* lowerRelation(planning, input, { ...want, needed, goal }, frame);
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  const kept = { rows: Math.max(1, lowered.plan.estimatedRows * share), origin };
  const part = isPart(planning, frame) ? { part: `${input.node} filtered` } : {};
  const { rows, origin: from } = planning.corrected(part.part, kept);
  return withFilter(planning, lowered, { conjuncts, frame, rows, origin: from, ...part });
}

function pairsWithin(
  planning: Planning,
  input: BoundRelation,
  conjuncts: readonly BoundExpression[],
): readonly KeyPair[] {
  const inside = idRangeOf(input);
  const pairs = conjuncts.flatMap((conjunct) => keyPairOf(conjunct, inside) ?? []);
  return pairs.length > 0 && isHoldable(planning, input) ? pairs : [];
}

interface SpoolWork {
  readonly input: BoundRelation;
  readonly conjuncts: readonly BoundExpression[];
  readonly pairs: readonly KeyPair[];
}

/** Conjuncts over the input alone go below the spool, the pairs into it, the others above. */
function* lowerBySpool(
  planning: Planning,
  { input, conjuncts, pairs }: SpoolWork,
  { want, frame }: Around,
): Steps<Lowered> {
  const inside = idRangeOf(input);
  const paired = new Set(pairs.map(({ conjunct }) => conjunct));
  const others = conjuncts.filter((conjunct) => !paired.has(conjunct));
  const isInside = (conjunct: BoundExpression) => areWithin(columnsReadBy(conjunct), inside);
  const below = others.filter(isInside);
  const above = others.filter((conjunct) => !isInside(conjunct));
  const needed = new Set(want.needed);
  for (const { inner } of pairs) addColumnsReadBy(inner, needed);
  for (const conjunct of above) addColumnsReadBy(conjunct, needed);
  const held = yield* lowerFree(planning, input, below, {
    want: wantBag(needed),
    frame: undefined,
  });
  const spool = spooled(planning, held, pairs, frame);
  const kept = shareOfAll(above, { counts: planning.counts, relations: [input] });
  const rows = Math.max(1, spool.plan.estimatedRows * kept.share);
  return withFilter(planning, spool, { conjuncts: above, frame, rows, origin: kept.origin });
}
