/** Rows that refer to removed ones, and refer to nothing from now on. */

import type { Steps } from '#base';
import { type Column, columnOrdinal, type ForeignKey, type Table } from '#catalog';
import { tableLayout } from '#layout';
import type { Row } from '#value';
import type { KeyedRows } from '../index-entries.ts';
import { reindexRows } from '../indexes.ts';
import { clearViolations, shadowed } from '../shadows.ts';
import { refuseNull } from '../values.ts';
import type { Writing } from '../writing.ts';
import { type Reference, referencingRows } from './referencing.ts';
import type { Wave } from './wave.ts';

/**
 * Rows of the next wave are left alone. A changed row needs no check: each unique index and foreign key that its change touches has a
 * NULL now, which exempts it.
 */
export function* setNull(
  writing: Writing,
  reference: Reference,
  removed: readonly Row[],
  next: Wave,
): Steps<void> {
  const { child, foreignKey } = reference;
  const before = yield* remaining(writing, reference, removed, next);
  if (before.rows.length === 0) return;
  const cleared = new Set(foreignKey.columns);
  const after = yield* clear(writing, child, foreignKey, before);
  yield* clearViolations(writing, child, before.keys, cleared);
  yield* reindexRows(writing, child, cleared, before, after);
}

/** Rows that refer to `removed` and are not removed with the next wave. */
function* remaining(
  writing: Writing,
  reference: Reference,
  removed: readonly Row[],
  next: Wave,
): Steps<KeyedRows> {
  const found = yield* referencingRows(writing, reference, removed, Number.POSITIVE_INFINITY);
  const kept: { keys: Uint8Array[]; rows: Row[] } = { keys: [], rows: [] };
  for (let i = 0; i < found.rows.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    if (next.has(found.keys[i] as Uint8Array)) continue;
    kept.keys.push(found.keys[i] as Uint8Array);
    kept.rows.push(found.rows[i] as Row);
  }
  return kept;
}

/** Writes the rows with NULL in the columns of the foreign key, and returns them as they are then. */
function* clear(
  writing: Writing,
  table: Table,
  foreignKey: ForeignKey,
  before: KeyedRows,
): Steps<readonly Row[]> {
  const cleared = new Set(foreignKey.columns);
  const ordinals = foreignKey.columns.map((id) => columnOrdinal(table, id));
  for (const ordinal of ordinals) refuseNull(table, table.columns[ordinal] as Column, [[null]]);
  const after: Row[] = [];
  const layout = tableLayout(table);
  writing.holdArrays(before.rows.length, table.columns.length);
  for (let i = 0; i < before.rows.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    const row = (before.rows[i] as Row).map((value, ordinal) =>
      ordinals.includes(ordinal) ? null : value,
    );
    writing.put(before.keys[i] as Uint8Array, layout.bodyOfRow(shadowed(table, row, cleared)));
    after.push(row);
  }
  return after;
}
