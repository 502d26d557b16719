/** Constraints over existing rows: enforced on writers at once, validated behind them. */

import { describe, expect, test } from 'bun:test';
import { type ForeignKeyAction, liveTransition, physicalIdOf, type Transition } from '#catalog';
import { violationRange } from '#layout';
import { outcomeOf } from '../support/outcome.ts';
import { audit } from './audit.ts';
import { type Cell, createTable, expectFine, mutation, openWorkshop } from './support.ts';

const columns = ['id int64', 'v int64?'] as const;
const create = (table: string, ...rows: readonly (readonly Cell[])[]) =>
  mutation('create', table, columns, ...rows);
const update = (table: string, ...rows: readonly (readonly Cell[])[]) =>
  mutation('update', table, columns, ...rows);
const remove = (table: string, ...ids: readonly string[]) =>
  mutation('delete', table, ['id int64'], ...ids.map((id) => [id]));

describe('not null', () => {
  const notNull = {
    kind: 'start_constraint_validation',
    table_id: 1,
    constraint: { name: 'v_set', kind: 'not_null', column_id: 2 },
  };

  async function opened(...rows: readonly (readonly Cell[])[]) {
    const workshop = await openWorkshop();
    await workshop.run(createTable('t', columns), create('t', ...rows));
    return workshop;
  }

  test('no NULL is written from the start on, and the column is non-null at the end', async () => {
    await using db = await opened(['1', '1']);
    const { version } = db.engine.catalog;
    const id = await db.start(notNull);
    expect(await db.refused(create('t', ['2', null]))).toMatch(/^422 constraint_violation/);
    expect(await db.refused(update('t', ['1', null]))).toMatch(/^422 constraint_violation/);
    expect(await db.refused(mutation('create', 't', ['id int64'], ['2']))).toMatch(
      /^422 constraint_violation/,
    );
    await db.until(id, 'ready');
    expect(db.engine.catalog.version).toBe(version + 1);
    expect(db.engine.catalog.tables[0]?.columns[1]?.nullable).toBe(false);
    expect((await db.get(id)).object_id).toMatch(/^ct\d+$/);
  });

  test('a stored NULL makes it fail, and is written again afterwards', async () => {
    await using db = await opened(['1', '1'], ['2', null]);
    const id = await db.start(notNull);
    expect(await outcomeOf(db.until(id, 'ready'))).toThrow(
      /is failed: cannot validate constraint "v_set" of table "t": 1 row: column "v" is NULL/,
    );
    await db.run(create('t', ['3', null]));
    expect(db.engine.catalog.tables[0]?.columns[1]?.nullable).toBe(true);
  });

  test('a NULL that goes before the validation is forgiven', async () => {
    for (const repair of [update('t', ['2', '2']), remove('t', '2')]) {
      const rows = Array.from({ length: 600 }, (_, i) => [String(i), i === 2 ? null : String(i)]);
      await using db = await opened(...rows);
      const id = await db.start(notNull);
      await db.scan(id);
      await db.run(repair);
      await db.until(id, 'ready');
    }
  });

  test('is refused of a column that takes no NULL, twice, and of one that a key clears', async () => {
    await using db = await opened();
    const of = (column: number) => ({
      ...notNull,
      constraint: { ...notNull.constraint, column_id: column },
    });
    expect(await db.refused(of(1))).toMatch(/is already not nullable/);
    await db.start(notNull);
    expect(await db.refused(notNull)).toMatch(/^422 invalid.*duplicate constraint name/);
    const key = { name: 'fk', columns: ['v'], ref_table: 't', ref_columns: ['id'] };
    await db.run(createTable('u', columns, { foreign_keys: [{ ...key, on_delete: 'set_null' }] }));
    expect(await db.refused({ ...notNull, table_id: 2 })).toMatch(/must stay nullable/);
    const clearing = { ...key, on_delete: 'set_null' };
    const create = { kind: 'create_foreign_key', table_id: 1, foreign_key: clearing };
    expect(await db.refused(create)).toMatch(/^422 invalid.*active/);
  });
});

describe('foreign key', () => {
  const start = (onDelete: ForeignKeyAction = 'restrict') => ({
    kind: 'start_constraint_validation',
    table_id: 2,
    constraint: {
      name: 'c',
      kind: 'foreign_key',
      foreign_key: {
        name: 'fk',
        columns: ['v'],
        ref_table: 'p',
        ref_columns: ['id'],
        on_delete: onDelete,
      },
    },
  });

  async function opened(...rows: readonly (readonly Cell[])[]) {
    const workshop = await openWorkshop();
    await workshop.run(createTable('p', ['id int64']), createTable('c', columns));
    await workshop.run(mutation('create', 'p', ['id int64'], ['1'], ['2'], ['3']));
    if (rows.length > 0) await workshop.run(create('c', ...rows));
    return workshop;
  }

  test('is enforced from the start on, and part of the table at the end', async () => {
    await using db = await opened(['1', '1'], ['2', null]);
    const id = await db.start(start());
    expect(await db.refused(create('c', ['3', '9']))).toMatch(
      /^422 constraint_violation.*foreign key/,
    );
    expect(await db.refused(update('c', ['1', '9']))).toMatch(/^422 constraint_violation/);
    expect(await db.refused(remove('p', '1'))).toMatch(/^422 constraint_violation.*referenced/);
    expect(await db.refused({ kind: 'delete_table', table_id: 1 })).toMatch(/^422 invalid/);
    expect((await db.send('GET', '/tables')).text).not.toContain('foreign_keys');
    await db.run(create('c', ['3', '3']), remove('p', '2'));
    await db.until(id, 'ready');
    expect(db.engine.catalog.tables[1]?.foreignKeys.map(({ name }) => name)).toEqual(['fk']);
    expect(await db.refused(remove('p', '3'))).toMatch(/^422 constraint_violation/);
    expectFine(await audit(db.engine));
  });

  test('on_delete works while it is being validated', async () => {
    await using cascading = await opened(['1', '1'], ['2', '2']);
    await cascading.start(start('cascade'));
    await cascading.run(remove('p', '1'));
    expect(await cascading.rows('c')).toEqual([{ id: 2, v: 2 }]);
    await using clearing = await opened(['1', '1'], ['2', '2']);
    await clearing.start(start('set_null'));
    await clearing.run(remove('p', '1'));
    expect(await clearing.rows('c')).toEqual([
      { id: 1, v: null },
      { id: 2, v: 2 },
    ]);
  });

  test('a row that references nothing makes it fail, unless it is set right', async () => {
    await using failing = await opened(['1', '9']);
    const failed = await failing.start(start());
    expect(await outcomeOf(failing.until(failed, 'ready'))).toThrow(
      /is failed: cannot validate constraint "c" of table "c": 1 row: the referenced row of table "p" does not exist \(column "v"\)/,
    );
    await failing.run(create('c', ['2', '9']));
    for (const repair of [
      update('c', ['1', '1']),
      remove('c', '1'),
      mutation('create', 'p', ['id int64'], ['9']),
    ]) {
      await using db = await opened(['1', '9']);
      const id = await db.start(start());
      await db.run(repair);
      await db.until(id, 'ready');
    }
  });

  test('a parent that comes after its child was looked at sets it right', async () => {
    await using db = await opened(['1', '9']);
    const id = await db.start(start());
    await db.shutGate(id);
    await db.run(mutation('create', 'p', ['id int64'], ['9']));
    await db.until(id, 'ready');
  });

  test('a column of the primary key is asked for its parent again at the gate', async () => {
    const start = (name: string) => ({
      kind: 'start_constraint_validation',
      table_id: 2,
      constraint: {
        name,
        kind: 'foreign_key',
        foreign_key: { name, columns: ['id'], ref_table: 'p', ref_columns: ['id'] },
      },
    });
    await using db = await opened(['1', null], ['8', null], ['9', null]);
    const id = await db.start(start('fk'));
    await db.shutGate(id);
    await db.run(mutation('create', 'p', ['id int64'], ['8']));
    expect(await outcomeOf(db.until(id, 'ready'))).toThrow(/: 1 row: the referenced row/);
    const again = await db.start(start('fk'));
    await db.shutGate(again);
    await db.run(mutation('create', 'p', ['id int64'], ['9']));
    await db.until(again, 'ready');
    expectFine(await audit(db.engine));
  });

  test('only rows without their parent are looked at again while the gate is shut', async () => {
    await using db = await opened(['1', '1'], ['2', null], ['3', '9'], ['4', '2']);
    const id = await db.start(start());
    await db.shutGate(id);
    const live = liveTransition(db.engine.catalog, Number(id.slice(2)));
    const range = violationRange(physicalIdOf(live?.transition as Transition));
    expect(db.engine['database'].store.entriesIn(range)).toBe(1);
  });
});
