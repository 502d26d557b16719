/**
 * What foreign keys do about removed rows (pir.md §4.5), wave by wave: a wave is removed as a whole; `restrict` judges what remains;
 * `cascade` gathers the next wave; `set_null` changes rows in place. `no_action` judges when all waves are through.
 */

import { type Column, columnOrdinal, type ForeignKeyAction, type Table } from '#catalog';
import { fail } from '#failure';
import { tableLayout } from '#layout';
import type { Row } from '#value';
import { slotBytes } from '../../batch/prices.ts';
import type { Steps } from '../../steps.ts';
import type { KeyedRows } from '../index-entries.ts';
import { reindexRows } from '../indexes.ts';
import { clearViolations, shadowed } from '../shadows.ts';
import { refuseNull } from '../values.ts';
import type { Writing } from '../writing.ts';
import { inboundOf } from './inbound.ts';
import { type Reference, referencingRows } from './referencing.ts';
import { Wave } from './wave.ts';

/** A wave costs as much as so many rows, however few are in it. */
const waveRows = 16;

export function* runWaves(writing: Writing, table: Table, targets: KeyedRows): Steps<void> {
  const judged = new Judged();
  let wave = Wave.of(table, targets);
  while (wave.count > 0) {
    const pause = writing.pause(waveRows);
    if (pause !== undefined) yield pause;
    yield* wave.remove(writing);
    const isKept = yield* judged.take(writing, wave);
    const next = yield* nextWave(writing, wave);
    if (!isKept) writing.release(wave.bytes);
    writing.account();
    wave = next;
  }
  yield* judged.judge(writing);
}

/** Removed rows that `no_action` asks about when all waves are through. */
class Judged {
  private readonly rows = new Map<Table, Row[]>();

  /** Whether rows of the wave are kept. */
  *take(writing: Writing, wave: Wave): Steps<boolean> {
    let isKept = false;
    for (const { table, rows } of wave.tables) {
      if (references(writing, table, 'no_action').length === 0) continue;
      isKept = true;
      const kept = this.rows.get(table) ?? [];
      this.rows.set(table, kept);
      writing.hold(rows.length * slotBytes);
      for (let i = 0; i < rows.length; i++) {
        const pause = writing.pause();
        if (pause !== undefined) yield pause;
        kept.push(rows[i] as Row);
      }
    }
    return isKept;
  }

  *judge(writing: Writing): Steps<void> {
    for (const [parent, rows] of this.rows) {
      for (const reference of references(writing, parent, 'no_action')) {
        yield* refuseReferences(writing, reference, rows);
      }
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
        const pause = writing.pause();
        if (pause !== undefined) yield pause;
        next.add(writing, reference.child, found.keys[i] as Uint8Array, found.rows[i] as Row);
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
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    if (next.has(found.keys[i] as Uint8Array)) continue;
    before.keys.push(found.keys[i] as Uint8Array);
    before.rows.push(found.rows[i] as Row);
  }
  if (before.rows.length === 0) return;
  const cleared = new Set(foreignKey.columns);
  const ordinals = foreignKey.columns.map((id) => columnOrdinal(child, id));
  for (const ordinal of ordinals) {
    refuseNull(child, child.columns[ordinal] as Column, [null]);
  }
  const after: Row[] = [];
  const layout = tableLayout(child);
  writing.holdArrays(before.rows.length, child.columns.length);
  for (let i = 0; i < before.rows.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    const row = (before.rows[i] as Row).map((value, ordinal) =>
      ordinals.includes(ordinal) ? null : value,
    );
    writing.put(before.keys[i] as Uint8Array, layout.bodyOfRow(shadowed(child, row, cleared)));
    after.push(row);
  }
  yield* clearViolations(writing, child, before.keys, cleared);
  yield* reindexRows(writing, child, cleared, before, after);
}
