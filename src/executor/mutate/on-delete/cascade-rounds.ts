/**
 * Runs the actions of foreign keys on removed rows (docs/pir.md §5), round by round. When all rows of a round are removed, `restrict` checks the
 * remaining rows, `cascade` removes the rows of the next round, and `set_null` changes the rows that then still refer to the round. `no_action`
 * checks after the last round.
 */

import type { Steps } from '#base';
import type { MutationContext } from '../mutation-context.ts';
import { CascadeRound } from './cascade-round.ts';
import { referencesWith, refuseReferences, type TargetNumber } from './references.ts';
import { eachReferring } from './referring.ts';
import { setNull } from './set-null.ts';

/** A round costs as much as processing this many rows, however few rows it has. */
const roundRows = 16;

/** `first` contains the rows that the statement itself removed. `targetNumber` finds the input row of a failure. */
export function* runCascadeRounds(
  mutationContext: MutationContext,
  first: CascadeRound,
  targetNumber: TargetNumber,
): Steps<void> {
  const unjudged: CascadeRound[] = [];
  let round = first;
  while (!round.isEmpty) {
    const pause = mutationContext.pause(roundRows);
    if (pause !== undefined) yield pause;
    yield* refuse('restrict', mutationContext, round, targetNumber);
    const next = yield* cascade(mutationContext, round);
    for (const { table, keys } of round.tables) {
      for (const reference of referencesWith('set_null', mutationContext, table)) {
        yield* setNull(mutationContext, reference, keys);
      }
    }
    if (isUnjudged(mutationContext, round)) unjudged.push(round);
    else round.release();
    yield* mutationContext.relieve();
    round = next;
  }
  for (const round of unjudged) {
    yield* refuse('no_action', mutationContext, round, targetNumber);
    round.release();
  }
}

/** Throws if a row refers to a row of `round` through a foreign key with this action. */
function* refuse(
  action: 'restrict' | 'no_action',
  mutationContext: MutationContext,
  round: CascadeRound,
  targetNumber: TargetNumber,
): Steps<void> {
  for (const { table, keys } of round.tables) {
    for (const reference of referencesWith(action, mutationContext, table)) {
      yield* refuseReferences(mutationContext, reference, keys, targetNumber);
    }
  }
}

/** Removes the rows that refer to `round` through `cascade`. Rows that are found twice are gone at the second time. */
function* cascade(mutationContext: MutationContext, round: CascadeRound): Steps<CascadeRound> {
  const next = new CascadeRound();
  for (const { table, keys } of round.tables) {
    for (const reference of referencesWith('cascade', mutationContext, table)) {
      yield* eachReferring(mutationContext, reference, keys, function* (found) {
        yield* next.remove(mutationContext, reference.child, found);
        yield* mutationContext.relieve();
        return true;
      });
    }
  }
  return next;
}

function isUnjudged(mutationContext: MutationContext, round: CascadeRound): boolean {
  for (const { table } of round.tables) {
    if (referencesWith('no_action', mutationContext, table).length > 0) return true;
  }
  return false;
}
