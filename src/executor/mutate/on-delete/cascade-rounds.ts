/**
 * Runs the actions of foreign keys on removed rows (pir.md §4.5), round by round. Each round is removed as a whole; then `restrict` checks the
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
const waveRows = 16;

export function* runCascadeRounds(
  writing: MutationContext,
  table: Table,
  targets: NumberedRows,
): Steps<void> {
  const unjudged = new NoActionRows();
  let wave = CascadeRound.of(table, targets);
  while (wave.count > 0) {
    const pause = writing.pause(waveRows);
    if (pause !== undefined) yield pause;
    yield* wave.remove(writing);
    const isKept = yield* unjudged.take(writing, wave);
    const next = yield* nextWave(writing, wave, targets.rows);
    if (!isKept) writing.release(wave.bytes);
    writing.account();
    wave = next;
  }
  yield* unjudged.judge(writing, targets.rows);
}

/** Runs the actions on `wave`: refuses first, then collects the rows to remove next, then changes rows. */
function* nextWave(
  writing: MutationContext,
  wave: CascadeRound,
  targets: readonly Row[],
): Steps<CascadeRound> {
  for (const { table, rows } of wave.tables) {
    for (const reference of referencesWith('restrict', writing, table)) {
      yield* refuseReferences(writing, reference, rows, targets);
    }
  }
  const next = yield* cascade(writing, wave);
  for (const { table, rows } of wave.tables) {
    for (const reference of referencesWith('set_null', writing, table)) {
      yield* setNull(writing, reference, rows, next);
    }
  }
  return next;
}

/** Returns the rows that are removed because a row of `wave` was. */
function* cascade(writing: MutationContext, wave: CascadeRound): Steps<CascadeRound> {
  const next = new CascadeRound();
  for (const { table, rows } of wave.tables) {
    for (const reference of referencesWith('cascade', writing, table)) {
      const found = yield* referencingRows(writing, reference, rows, Number.POSITIVE_INFINITY);
      for (let i = 0; i < found.rows.length; i++) {
        const pause = writing.pause();
        if (pause !== undefined) yield pause;
        next.add(writing, reference.child, found.keys[i] as Uint8Array, found.rows[i] as Row);
      }
    }
  }
  return next;
}
