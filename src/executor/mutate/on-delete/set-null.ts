/** Sets the foreign key of rows that refer to removed rows to NULL. */

import type { Steps } from '#base';
import { columnOrdinal, type ForeignKey, type Table } from '#catalog';
import type { Row } from '#value';
import type { NumberedRows } from '../index-entries.ts';
import type { MutationContext } from '../mutation-context.ts';
import { clearingChange, replaceRows } from '../row-change.ts';
import type { CascadeRound } from './cascade-round.ts';
import { type Reference, referencingRows } from './referencing.ts';

/** Changes the referring rows, except those that the next round removes. */
export function* setNull(
  mutationContext: MutationContext,
  reference: Reference,
  removed: readonly Row[],
  next: CascadeRound,
): Steps<void> {
  const { child, foreignKey } = reference;
  const before = yield* remaining(mutationContext, reference, removed, next);
  if (before.rows.length === 0) return;
  const after = yield* cleared(mutationContext, child, foreignKey, before.rows);
  const change = clearingChange(child, new Set(foreignKey.columns));
  yield* replaceRows(mutationContext, change, before, after);
}

/** Returns the rows that refer to `removed` and are not removed in the next round. */
function* remaining(
  mutationContext: MutationContext,
  reference: Reference,
  removed: readonly Row[],
  next: CascadeRound,
): Steps<NumberedRows> {
  const found = yield* referencingRows(
    mutationContext,
    reference,
    removed,
    Number.POSITIVE_INFINITY,
  );
  const kept: { keys: Uint8Array[]; rows: Row[] } = { keys: [], rows: [] };
  for (let i = 0; i < found.rows.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    if (next.has(found.keys[i] as Uint8Array)) continue;
    kept.keys.push(found.keys[i] as Uint8Array);
    kept.rows.push(found.rows[i] as Row);
  }
  return kept;
}

/** Returns the rows with NULL in the columns of the foreign key. */
function* cleared(
  mutationContext: MutationContext,
  table: Table,
  foreignKey: ForeignKey,
  rows: readonly Row[],
): Steps<readonly Row[]> {
  const ordinals = foreignKey.columns.map((id) => columnOrdinal(table, id));
  const after: Row[] = [];
  mutationContext.holdArrays(rows.length, table.columns.length);
  for (let i = 0; i < rows.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const row = rows[i] as Row;
    after.push(row.map((value, ordinal) => (ordinals.includes(ordinal) ? null : value)));
  }
  return after;
}
