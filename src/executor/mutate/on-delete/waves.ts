/**
 * What foreign keys do about removed rows (pir.md §4.5), wave by wave: a wave is removed as a whole; `restrict` judges what remains;
 * `cascade` gathers the next wave; `set_null` changes rows in place. `no_action` judges when all waves are through.
 */

import {
  type Column,
  columnOrdinal,
  type ForeignKeyAction,
  type Table,
  tableLayout,
} from '#catalog';
import { fail } from '#failure';
import type { Row } from '#value';
import type { Steps } from '../../steps.ts';
import type { KeyedRows } from '../index-entries.ts';
import { reindexRows } from '../indexes.ts';
import { clearViolations, shadowed } from '../shadows.ts';
import { storedValues } from '../values.ts';
import type { Writing } from '../writing.ts';
import { inboundOf } from './inbound.ts';
import { type Reference, referencingRows } from './referencing.ts';
import { Wave } from './wave.ts';

export function* runWaves(writing: Writing, table: Table, targets: KeyedRows): Steps<void> {
  const removed = new Map<Table, Row[]>();
  let wave = new Wave();
  for (let i = 0; i < targets.rows.length; i++) {
    wave.add(table, targets.keys[i] as Uint8Array, targets.rows[i] as Row);
  }
  while (!wave.isEmpty) {
    yield* wave.remove(writing);
    for (const part of wave.tables) {
      removed.set(part.table, [...(removed.get(part.table) ?? []), ...part.rows]);
    }
    wave = yield* nextWave(writing, wave);
    writing.account(0);
  }
  for (const [parent, rows] of removed) {
    for (const reference of references(writing, parent, 'no_action')) {
      yield* refuseReferences(writing, reference, rows);
    }
  }
}

function* nextWave(writing: Writing, wave: Wave): Steps<Wave> {
  for (const { table, rows } of wave.tables) {
    for (const reference of references(writing, table, 'restrict')) {
      yield* refuseReferences(writing, reference, rows);
    }
  }
  const next = new Wave();
  for (const { table, rows } of wave.tables) {
    for (const reference of references(writing, table, 'cascade')) {
      const found = yield* referencingRows(writing, reference, rows, Number.POSITIVE_INFINITY);
      for (let i = 0; i < found.rows.length; i++) {
        next.add(reference.child, found.keys[i] as Uint8Array, found.rows[i] as Row);
      }
    }
  }
  for (const { table, rows } of wave.tables) {
    for (const reference of references(writing, table, 'set_null')) {
      yield* setNull(writing, reference, rows, next);
    }
  }
  return next;
}

function references(writing: Writing, parent: Table, action: ForeignKeyAction): Reference[] {
  return inboundOf(writing.catalog, parent.id).flatMap(({ child, foreignKey }) =>
    foreignKey.onDelete === action ? [{ child, foreignKey, parent }] : [],
  );
}

function* refuseReferences(
  writing: Writing,
  reference: Reference,
  rows: readonly Row[],
): Steps<void> {
  const found = yield* referencingRows(writing, reference, rows, 1);
  if (found.rows.length === 0) return;
  const { child, foreignKey, parent } = reference;
  throw fail(
    'constraint_violation',
    `a row of table "${parent.name}" is referenced by table "${child.name}" ` +
      `through foreign key "${foreignKey.name}"`,
    { execution: { table: parent.name } },
  );
}

/**
 * Rows of the next wave are left alone. A changed row needs no check: each unique index and foreign key that its change touches has a
 * NULL now, which exempts it.
 */
function* setNull(
  writing: Writing,
  reference: Reference,
  rows: readonly Row[],
  next: Wave,
): Steps<void> {
  const { child, foreignKey } = reference;
  const found = yield* referencingRows(writing, reference, rows, Number.POSITIVE_INFINITY);
  const before: { keys: Uint8Array[]; rows: Row[] } = { keys: [], rows: [] };
  for (let i = 0; i < found.rows.length; i++) {
    if (next.has(found.keys[i] as Uint8Array)) continue;
    before.keys.push(found.keys[i] as Uint8Array);
    before.rows.push(found.rows[i] as Row);
  }
  if (before.rows.length === 0) return;
  const cleared = new Set(foreignKey.columns);
  const ordinals = foreignKey.columns.map((id) => columnOrdinal(child, id));
  for (const ordinal of ordinals) storedValues(child, child.columns[ordinal] as Column, [null]);
  const after = before.rows.map((row) =>
    row.map((value, ordinal) => (ordinals.includes(ordinal) ? null : value)),
  );
  const layout = tableLayout(child);
  after.forEach((row, i) => {
    writing.put(before.keys[i] as Uint8Array, layout.bodyOfRow(shadowed(child, row, cleared)));
  });
  clearViolations(writing, child, before.keys, cleared);
  yield* reindexRows(writing, child, cleared, before, after);
}
