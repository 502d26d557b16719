/** Plans that outlive the catalog they were made for. */

import { expect, test } from 'bun:test';
import { openTestDatabase } from '../support/database.ts';

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

test('a delete that was planned before a foreign key led to its table is not carried out with that plan', async () => {
  await using database = await openTestDatabase();
  await database.send('POST', '/tables', table('parent', 'id'));
  await database.send('POST', '/tables', table('child', 'id', 'parent_id'));
  for (const id of ['1', '2']) {
    const created = await database.send('POST', '/execute', one('create', 'parent', ['id'], [id]));
    expect(created.status).toBe(200);
  }
  const child = one('create', 'child', ['id', 'parent_id'], ['10', '1']);
  expect((await database.send('POST', '/execute', child)).status).toBe(200);
  // The plan of this one is kept for the next program of its shape.
  const first = await database.send('POST', '/execute', one('delete', 'parent', ['id'], ['2']));
  expect(first.status).toBe(200);
  const tables = (await database.send('GET', '/tables')).json as {
    tables: { id: number; name: string }[];
  };
  const childId = tables.tables.find(({ name }) => name === 'child')?.id;
  const foreign_key = {
    name: 'child_parent',
    columns: ['parent_id'],
    ref_table: 'parent',
    ref_columns: ['id'],
    on_delete: 'restrict',
  };
  const added = await database.engine.execute(
    {
      statements: [
        { kind: 'create_foreign_key', name: 'k', table_id: childId as number, foreign_key },
      ],
    } as never,
    { showPlan: false, dryRun: false },
  );
  expect(added.statements).toHaveLength(1);
  const second = await database.send('POST', '/execute', one('delete', 'parent', ['id'], ['1']));
  expect(second.status).toBe(422);
  expect(JSON.stringify(second.json)).toContain('is referenced by');
});
