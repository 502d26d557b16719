/** Plans that outlive the catalog they were made for. */

import { describe, expect, test } from 'bun:test';
import { applyChange, type Catalog, emptyCatalog } from '#catalog';
import { checkProgram } from '#wire';
import { isCurrentPlan } from '../../src/engine/prepared/current-plan.ts';
import { openTestDatabase } from '../support/database.ts';
import { planProgram } from '../support/plans.ts';

const table = (name: string, ...columns: string[]) => ({
  name,
  columns: columns.map((column) => ({ name: column, type: 'int64' })),
  primary_key: ['id'],
});

const key = (columns: readonly string[], cells: readonly string[]) => ({
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: columns.map((name) => ({ name, type: 'int64' })),
      rows: [cells],
    },
  },
  root: { node: 'r', cardinality: 'many' },
});

const one = (kind: string, name: string, columns: readonly string[], cells: readonly string[]) => ({
  statements: [{ kind, name: 's', table: name, relation: key(columns, cells) }],
  result: 's',
});

const reference = {
  name: 'child_parent',
  columns: ['parent_id'],
  ref_table: 'parent',
  ref_columns: ['id'],
  on_delete: 'restrict',
};

const leading: Readonly<Record<string, object>> = {
  'that is there at once': { kind: 'create_foreign_key', foreign_key: reference },
  'that is being validated': {
    kind: 'start_constraint_validation',
    constraint: { name: 'c', kind: 'foreign_key', foreign_key: reference },
  },
};

test.each(Object.entries(leading))(
  'a delete that was planned before a foreign key led to its table is not carried out with that plan: one %s',
  async (_, statement) => {
    await using database = await openTestDatabase();
    await database.send('POST', '/tables', table('parent', 'id'));
    await database.send('POST', '/tables', table('child', 'id', 'parent_id'));
    for (const id of ['1', '2']) {
      const parent = one('create', 'parent', ['id'], [id]);
      expect((await database.send('POST', '/execute', parent)).status).toBe(200);
    }
    const child = one('create', 'child', ['id', 'parent_id'], ['10', '1']);
    expect((await database.send('POST', '/execute', child)).status).toBe(200);
    // The plan of this one is kept for the next program of its shape.
    const first = await database.send('POST', '/execute', one('delete', 'parent', ['id'], ['2']));
    expect(first.status).toBe(200);
    const started = { statements: [{ ...statement, name: 'k', table_id: 2 }] };
    expect((await database.send('POST', '/execute', started)).status).toBe(200);
    const second = await database.send('POST', '/execute', one('delete', 'parent', ['id'], ['1']));
    expect(second.status).toBe(422);
    expect(JSON.stringify(second.json)).toContain('is referenced by');
    expect(second.json).toHaveProperty('execution', { table: 'parent', index: 'child_parent' });
    const orphan = one('create', 'child', ['id', 'parent_id'], ['11', '9']);
    const third = await database.send('POST', '/execute', orphan);
    expect(third.json).toHaveProperty('execution', { table: 'child', index: 'child_parent' });
  },
);

test('a delete whose foreign key comes between its plan and its commit is planned again', async () => {
  await using database = await openTestDatabase();
  await database.send('POST', '/tables', table('parent', 'id'));
  await database.send('POST', '/tables', table('child', 'id', 'parent_id'));
  await database.send('POST', '/execute', one('create', 'parent', ['id'], ['1']));
  await database.send('POST', '/execute', one('create', 'child', ['id', 'parent_id'], ['10', '1']));
  const inner = database.engine['database'];
  const { begin } = inner.store;
  // The delete has its plan and begins: before it goes on, the key is committed.
  let isFirst = true;
  inner.store.begin = () => {
    const transaction = begin.call(inner.store);
    if (!isFirst) return transaction;
    isFirst = false;
    const commit = transaction.commit.bind(transaction);
    transaction.commit = async (hooks) => {
      const change = { ...leading['that is there at once'], name: 'k', table_id: 2 };
      const added = await database.send('POST', '/execute', { statements: [change] });
      expect(added.status).toBe(200);
      return commit(hooks);
    };
    return transaction;
  };
  const deleted = await database.send('POST', '/execute', one('delete', 'parent', ['id'], ['1']));
  expect(deleted.status).toBe(422);
  expect(JSON.stringify(deleted.json)).toContain('is referenced by');
});

describe('a plan holds', () => {
  const withTable = (catalog: Catalog, name: string, more: object = {}): Catalog =>
    applyChange(catalog, {
      kind: 'create_table',
      table: { ...table(name, 'id', 'parent_id'), ...more } as never,
    }).catalog;
  const before = withTable(withTable(emptyCatalog, 'parent'), 'other');
  const planOf = (program: object) =>
    planProgram(checkProgram(program), undefined, before, {
      accessPaths: 'all',
      crossings: 'spooled',
    });
  const deletes = planOf({ statements: one('delete', 'parent', ['id'], ['1']).statements });
  const creates = planOf({
    statements: one('create', 'parent', ['id', 'parent_id'], ['1', '1']).statements,
  });

  test('while the catalog stays, and when it moves elsewhere', () => {
    for (const plan of [deletes, creates]) {
      expect(isCurrentPlan(plan, before)).toBe(true);
      expect(isCurrentPlan(plan, withTable(before, 'new'))).toBe(true);
    }
  });

  test('not when a table of it has changed', () => {
    const after = applyChange(before, { kind: 'rename_table', table_id: 1, to: 'renamed' }).catalog;
    for (const plan of [deletes, creates]) expect(isCurrentPlan(plan, after)).toBe(false);
  });

  test('of a delete not when another table refers to what it deletes from', () => {
    const after = withTable(before, 'child', { foreign_keys: [reference] });
    expect(isCurrentPlan(deletes, after)).toBe(false);
  });

  test('of a delete not when another table refers to one that it leads to', () => {
    const cascade = { ...reference, on_delete: 'cascade' };
    const withChild = withTable(before, 'child', { foreign_keys: [cascade] });
    const program = { statements: one('delete', 'parent', ['id'], ['1']).statements };
    const plan = planProgram(checkProgram(program), undefined, withChild, {
      accessPaths: 'all',
      crossings: 'spooled',
    });
    const refersTo = (name: string) =>
      withTable(withChild, 'grandchild', { foreign_keys: [{ ...reference, ref_table: name }] });
    expect(isCurrentPlan(plan, refersTo('child'))).toBe(false);
    expect(isCurrentPlan(plan, refersTo('other'))).toBe(true);
  });
});
