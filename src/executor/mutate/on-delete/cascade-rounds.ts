/**
 * Runs the actions of foreign keys on removed rows (docs/pir.md §5), round by round. Each round is removed as a whole; then `restrict` checks the
 * remaining rows, `cascade` collects the next round, and `set_null` changes rows in place. `no_action` checks after the last round.
 */

import type { Steps } from '#base';
import type { Table } from '#catalog';
import type { Row } from '#value';
import type { NumberedRows } from '../index-entries.ts';
import type { MutationContext } from '../mutation-context.ts';
import { CascadeRound } from './cascade-round.ts';
import { NoActionRows } from './no-action-rows.ts';
import { referencesWith, refuseReferences } from './references.ts';
import { referencingRows } from './referencing.ts';
import { setNull } from './set-null.ts';

/** A round costs as much as processing this many rows, however few rows it has. */
const roundRows = 16;

export function* runCascadeRounds(
  mutationContext: MutationContext,
  table: Table,
  targets: NumberedRows,
): Steps<void> {
  const unjudged = new NoActionRows();
  let round = CascadeRound.of(table, targets);
  while (round.count > 0) {
    const pause = mutationContext.pause(roundRows);
    if (pause !== undefined) yield pause;
    yield* round.remove(mutationContext);
    const isKept = yield* unjudged.take(mutationContext, round);
    const next = yield* nextRound(mutationContext, round, targets.rows);
    if (!isKept) mutationContext.release(round.bytes);
    mutationContext.account();
    round = next;
  }
  yield* unjudged.judge(mutationContext, targets.rows);
}

/** Runs the actions on `round`: refuses first, then collects the rows to remove next, then changes rows. */
function* nextRound(
  mutationContext: MutationContext,
  round: CascadeRound,
  targets: readonly Row[],
): Steps<CascadeRound> {
  for (const { table, rows } of round.tables) {
    for (const reference of referencesWith('restrict', mutationContext, table)) {
      yield* refuseReferences(mutationContext, reference, rows, targets);
    }
  }
  const next = yield* cascade(mutationContext, round);
  for (const { table, rows } of round.tables) {
    for (const reference of referencesWith('set_null', mutationContext, table)) {
      yield* setNull(mutationContext, reference, rows, next);
    }
  }
  return next;
}

/** Returns the rows that are removed because a row of `round` was. */
function* cascade(mutationContext: MutationContext, round: CascadeRound): Steps<CascadeRound> {
  const next = new CascadeRound();
  for (const { table, rows } of round.tables) {
    for (const reference of referencesWith('cascade', mutationContext, table)) {
      const found = yield* referencingRows(
        mutationContext,
        reference,
        rows,
        Number.POSITIVE_INFINITY,
      );
      for (let i = 0; i < found.rows.length; i++) {
        const pause = mutationContext.pause();
        if (pause !== undefined) yield pause;
        next.add(
          mutationContext,
          reference.child,
          found.keys[i] as Uint8Array,
          found.rows[i] as Row,
        );
      }
    }
  }
  return next;
}
