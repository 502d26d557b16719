/** The imperative catalog endpoints (docs/http.md). */

import { describe, expect, test } from 'bun:test';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

const author = {
  name: 'author',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
  ],
  primary_key: ['id'],
};
const post = {
  name: 'post',
  columns: [
    { name: 'id', type: 'int64', default: { func: 'increment' } },
    { name: 'author_id', type: 'int64' },
    { name: 'token', type: 'bytes', format: 'uuid', nullable: true, default: { func: 'uuid_v4' } },
  ],
  primary_key: ['id'],
  indexes: [{ name: 'post_author_id_idx', columns: ['author_id'] }],
  foreign_keys: [
    {
      name: 'post_author_id_fk',
      columns: ['author_id'],
      ref_table: 'author',
      ref_columns: ['id'],
      on_delete: 'restrict',
    },
  ],
};

async function openWithTables(): Promise<TestDatabase> {
  const db = await openTestDatabase('direct');
  expect((await db.send('POST', '/tables', author)).status).toBe(200);
  expect((await db.send('POST', '/tables', post)).status).toBe(200);
  return db;
}

describe('tables', () => {
  test('an empty database lists none and has the hash of the empty schema', async () => {
    await using db = await openTestDatabase('direct');
    expect((await db.send('GET', '/tables')).json).toEqual({ tables: [] });
    const info = (await db.send('GET', '/info')).json as Record<string, unknown>;
    expect(info['schema_version']).toBe(0);
    expect(info['schema_hash']).toBe(
      'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    );
    expect(info).not.toHaveProperty('schema_version_at');
    expect(info['mode']).toBe('direct');
    expect(info['access']).toBe('write');
  });

  test('a definition comes back with its ids, and counts one version', async () => {
    await using db = await openWithTables();
    const { tables } = (await db.send('GET', '/tables')).json as { tables: unknown[] };
    expect(tables).toEqual([
      {
        id: 1,
        name: 'author',
        columns: [
          { id: 1, name: 'id', type: 'int64' },
          { id: 2, name: 'name', type: 'text' },
        ],
        primary_key: ['id'],
      },
      {
        id: 2,
        name: 'post',
        columns: [
          { id: 1, name: 'id', type: 'int64', default: { func: 'increment' } },
          { id: 2, name: 'author_id', type: 'int64' },
          {
            id: 3,
            name: 'token',
            type: 'bytes',
            nullable: true,
            format: 'uuid',
            default: { func: 'uuid_v4' },
          },
        ],
        primary_key: ['id'],
        indexes: [{ name: 'post_author_id_idx', columns: ['author_id'] }],
        foreign_keys: post.foreign_keys,
      },
    ]);
    const info = (await db.send('GET', '/info')).json as Record<string, unknown>;
    expect(info['schema_version']).toBe(2);
    expect(info['schema_version_at']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  test('a rejected definition leaves nothing behind, the name included', async () => {
    await using db = await openTestDatabase('direct');
    const bad = { ...author, primary_key: ['nope'] };
    expect((await db.send('POST', '/tables', bad)).status).toBe(422);
    expect((await db.send('GET', '/tables')).json).toEqual({ tables: [] });
    expect((await db.send('POST', '/tables', author)).json).toHaveProperty('id', 1);
  });

  test('renaming keeps rows and keys', async () => {
    await using db = await openWithTables();
    const renamed = await db.send('PATCH', '/tables/author', { name: 'writer' });
    expect(renamed.json).toHaveProperty('name', 'writer');
    const { tables } = (await db.send('GET', '/tables')).json as {
      tables: { foreign_keys?: { ref_table: string }[] }[];
    };
    expect(tables[1]?.foreign_keys?.[0]?.ref_table).toBe('writer');
    const taken = await db.send('PATCH', '/tables/post', { name: 'writer' });
    expect([taken.status, (taken.json as { reason: string }).reason]).toEqual([422, 'invalid']);
  });

  test('a referenced table cannot go before the one that refers to it', async () => {
    await using db = await openWithTables();
    expect((await db.send('DELETE', '/tables/author')).status).toBe(422);
    expect((await db.send('DELETE', '/tables/post')).status).toBe(204);
    expect((await db.send('DELETE', '/tables/author')).status).toBe(204);
    const again = await db.send('DELETE', '/tables/author');
    expect(again.json).toMatchObject({ reason: 'unknown_table', stage: 'preflight', status: 422 });
  });

  test('ids are never used again', async () => {
    await using db = await openWithTables();
    await db.send('DELETE', '/tables/post');
    expect((await db.send('POST', '/tables', post)).json).toHaveProperty('id', 3);
    const taken = await db.send('POST', '/tables', { ...author, name: 'x', id: 2 });
    expect(taken.status).toBe(422);
  });
});

describe('columns and indexes', () => {
  test('a column is added, renamed and deleted', async () => {
    await using db = await openWithTables();
    const column = { name: 'born', type: 'int64', nullable: true };
    expect((await db.send('POST', '/tables/author/columns', column)).status).toBe(200);
    const renamed = await db.send('PATCH', '/tables/author/columns/born', { name: 'year' });
    expect(renamed.json).toHaveProperty('columns.2.name', 'year');
    const deleted = await db.send('DELETE', '/tables/author/columns/year');
    expect((deleted.json as { columns: unknown[] }).columns.length).toBe(2);
    const missing = await db.send('DELETE', '/tables/author/columns/year');
    expect(missing.json).toMatchObject({ reason: 'unknown_column', status: 422 });
    const keyed = await db.send('DELETE', '/tables/author/columns/id');
    expect(keyed.json).toMatchObject({ reason: 'invalid', status: 422 });
  });

  test('a required column without a literal default is refused', async () => {
    await using db = await openWithTables();
    const column = { name: 'born', type: 'int64' };
    expect((await db.send('POST', '/tables/author/columns', column)).status).toBe(422);
  });

  test('an index over duplicates is refused and registered nowhere', async () => {
    await using db = await openWithTables();
    const rows = {
      kind: 'rows',
      scope: 'r',
      columns: [
        { name: 'id', type: 'int64' },
        { name: 'name', type: 'text' },
      ],
      rows: [
        ['1', 'a'],
        ['2', 'a'],
      ],
    };
    const relation = { nodes: { r: rows }, root: { node: 'r', cardinality: 'many' } };
    const create = { kind: 'create', name: 'c', table: 'author', relation };
    expect((await db.send('POST', '/execute', { statements: [create] })).status).toBe(200);
    const unique = { name: 'author_name_uq', columns: ['name'], unique: true };
    const refused = await db.send('POST', '/tables/author/indexes', unique);
    expect(refused.json).toMatchObject({ reason: 'constraint_violation', status: 422 });
    const plain = { name: 'author_name_uq', columns: ['name'] };
    expect((await db.send('POST', '/tables/author/indexes', plain)).status).toBe(200);
    expect((await db.send('DELETE', '/tables/author/indexes/author_name_uq')).status).toBe(200);
    const gone = await db.send('DELETE', '/tables/author/indexes/author_name_uq');
    expect(gone.json).toMatchObject({ reason: 'invalid', status: 422 });
  });

  test('a body of the wrong shape is 422 with a pointer', async () => {
    await using db = await openTestDatabase('direct');
    const reply = await db.send('POST', '/tables', { ...author, columns: [{ name: 'id' }] });
    expect(reply.json).toMatchObject({ reason: 'schema_violation', status: 422 });
    expect(JSON.stringify(reply.json)).toContain('/columns/0');
  });
});

describe('schema mode', () => {
  const calls: readonly (readonly [string, string, unknown])[] = [
    ['POST', '/tables', author],
    ['PATCH', '/tables/x', { name: 'y' }],
    ['DELETE', '/tables/x', undefined],
    ['POST', '/tables/x/columns', {}],
    ['PATCH', '/tables/x/columns/y', {}],
    ['DELETE', '/tables/x/columns/y', undefined],
    ['POST', '/tables/x/indexes', {}],
    ['DELETE', '/tables/x/indexes/y', undefined],
  ];
  for (const [method, path, body] of calls) {
    test(`${method} ${path} is refused`, async () => {
      await using db = await openTestDatabase('schema');
      const reply = await db.send(method, path, body);
      expect(reply.json).toMatchObject({ reason: 'invalid', status: 422, stage: 'preflight' });
    });
  }
});
