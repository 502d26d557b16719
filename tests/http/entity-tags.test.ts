/** What an entity tag depends on (docs/pir.md): it changes whenever the result may, is the same for the same state, and stays while only other rows change. */

import { describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openEngine } from '#engine';
import { databaseOver, openTestDatabase, type TestDatabase } from '../support/database.ts';
import type { SchemaFile } from '../support/schema-file.ts';
import { seededRandom } from '../support/seeded-random.ts';

const table = (id: number, name: string): SchemaFile['tables'][number] => ({
  id,
  name,
  columns: [
    { id: 1, name: 'id', type: 'int64', pk: true },
    { id: 2, name: 'n', type: 'int64' },
  ],
});

const schema: SchemaFile = { tables: [table(1, 't'), table(2, 'u')] };

const col = (scope: string, column: string) => ({ kind: 'col', scope, column });
const lit = (value: number) => ({ kind: 'lit', value: { type: 'int64', value: String(value) } });

/** The rows of `t` with this id. */
function one(id: number, name = 't') {
  const predicate = { kind: 'binary', op: 'eq', left: col('s', 'id'), right: lit(id) };
  return {
    nodes: {
      s: { kind: 'scan', table: name, scope: 's' },
      f: { kind: 'filter', input: 's', predicate },
    },
    root: { node: 'f', cardinality: 'first' },
  };
}

function all(name = 't') {
  return {
    nodes: {
      s: { kind: 'scan', table: name, scope: 's' },
      o: { kind: 'order', input: 's', terms: [{ expr: col('s', 'id') }] },
    },
    root: { node: 'o', cardinality: 'many' },
  };
}

/** One row of `t` with one of `u`, each by its key. */
function both(t: number, u: number) {
  const predicate = (scope: string, id: number) => ({
    kind: 'binary',
    op: 'eq',
    left: col(scope, 'id'),
    right: lit(id),
  });
  return {
    nodes: {
      t: { kind: 'scan', table: 't', scope: 't' },
      u: { kind: 'scan', table: 'u', scope: 'u' },
      ft: { kind: 'filter', input: 't', predicate: predicate('t', t) },
      fu: { kind: 'filter', input: 'u', predicate: predicate('u', u) },
      j: { kind: 'join', join: 'inner', left: 'ft', right: 'fu', on: lit0 },
      p: {
        kind: 'project',
        input: 'j',
        fields: [
          { as: 'a', expr: col('t', 'n') },
          { as: 'b', expr: col('u', 'n') },
        ],
      },
    },
    root: { node: 'p', cardinality: 'first' },
  };
}

const lit0 = { kind: 'lit', value: { type: 'bool', value: true } };

type Write = 'create' | 'update' | 'delete';

async function write(db: TestDatabase, kind: Write, id: number, n = 0, name = 't') {
  const columns = [
    { name: 'id', type: 'int64' },
    ...(kind === 'delete' ? [] : [{ name: 'n', type: 'int64' }]),
  ];
  const row = kind === 'delete' ? [String(id)] : [String(id), String(n)];
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows: [row] } },
    root: { node: 'r', cardinality: 'many' },
  };
  const statements = [{ kind, name: 'w', table: name, relation }];
  return (await db.send('POST', '/execute', { statements })).status;
}

async function tagOf(db: TestDatabase, query: unknown): Promise<string> {
  const { status, headers } = await db.send('QUERY', '/execute', query);
  expect(status).toBe(200);
  return headers.get('etag') as string;
}

const open = () => openTestDatabase('schema', schema);

describe('a row that is read by its key', () => {
  test('has a tag that other rows of its table leave alone', async () => {
    await using db = await open();
    await write(db, 'create', 1, 10);
    const [ofOne, ofAll, ofNone] = [
      await tagOf(db, one(1)),
      await tagOf(db, all()),
      await tagOf(db, one(3)),
    ];
    await write(db, 'create', 2, 20);
    expect(await tagOf(db, one(1))).toBe(ofOne);
    expect(await tagOf(db, one(3))).toBe(ofNone);
    expect(await tagOf(db, all())).not.toBe(ofAll);
    const unchanged = await db.send('QUERY', '/execute', one(1), { 'if-none-match': ofOne });
    expect([unchanged.status, unchanged.headers.get('etag')]).toEqual([304, ofOne]);
    expect((await db.send('QUERY', '/execute', one(1))).json).toEqual({ id: 1, n: 10 });
  });

  test('has another one once it is changed, deleted, or there', async () => {
    await using db = await open();
    await write(db, 'create', 1, 10);
    const seen = [await tagOf(db, one(1))];
    await write(db, 'update', 1, 11);
    seen.push(await tagOf(db, one(1)));
    await write(db, 'delete', 1);
    seen.push(await tagOf(db, one(1)));
    await write(db, 'create', 1, 12);
    seen.push(await tagOf(db, one(1)));
    expect(new Set(seen).size).toBe(4);
  });

  test('also when there are two of them, in two tables', async () => {
    await using db = await open();
    for (const name of ['t', 'u']) await write(db, 'create', 1, 10, name);
    const before = await tagOf(db, both(1, 1));
    for (const name of ['t', 'u']) await write(db, 'create', 2, 10, name);
    expect(await tagOf(db, both(1, 1))).toBe(before);
    await write(db, 'update', 1, 11, 'u');
    const after = await tagOf(db, both(1, 1));
    expect(after).not.toBe(before);
    await write(db, 'update', 1, 11, 't');
    expect(new Set([before, after, await tagOf(db, both(1, 1))]).size).toBe(3);
  });
});

test('texts that lie otherwise between their columns have other tags', async () => {
  await using db = await openTestDatabase();
  const texts = ['a', 'b'].map((name) => ({ name, type: 'text', nullable: true }));
  const columns = [{ name: 'id', type: 'int64' }, ...texts];
  await db.send('POST', '/tables', { name: 't', columns, primary_key: ['id'] });
  const put = async (kind: 'create' | 'update', a: string | null, b: string | null) => {
    const rows = { kind: 'rows', scope: 'r', columns, rows: [['1', a, b]] };
    const relation = { nodes: { r: rows }, root: { node: 'r', cardinality: 'many' } };
    const statements = [{ kind, name: 'w', table: 't', relation }];
    expect((await db.send('POST', '/execute', { statements })).status).toBe(200);
  };
  const pairs = [
    ['a', 'b'],
    ['a,b', 'c'],
    ['a', 'b,c'],
    ['', ',,'],
    [',', ','],
    [',,', ''],
    [null, 'a'],
    ['null', 'a'],
  ] as const;
  const seen = new Set<string>();
  for (const [i, [a, b]] of pairs.entries()) {
    await put(i === 0 ? 'create' : 'update', a, b);
    seen.add(await tagOf(db, one(1)));
  }
  expect(seen.size).toBe(pairs.length);
});

test('a table that is dropped and made again under its name has other tags', async () => {
  await using db = await openTestDatabase();
  const definition = {
    name: 't',
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  };
  const seen = new Set<string>();
  for (let round = 0; round < 3; round++) {
    await db.send('POST', '/tables', definition);
    for (const query of [all(), one(1)]) seen.add(await tagOf(db, query));
    await db.send('DELETE', '/tables/t');
  }
  expect(seen.size).toBe(6);
});

test('a column that is added, and a table that is renamed, change tags of queries that still hold', async () => {
  await using db = await openTestDatabase('direct', schema);
  await write(db, 'create', 1, 10);
  const before = [await tagOf(db, all()), await tagOf(db, one(1))];
  const column = { name: 'm', type: 'int64', nullable: true };
  expect((await db.send('POST', '/tables/t/columns', column)).status).toBe(200);
  const grown = [await tagOf(db, all()), await tagOf(db, one(1))];
  expect(new Set([...before, ...grown]).size).toBe(4);
  // Another table takes the name: the text of the query is the same, its rows are not.
  expect((await db.send('PATCH', '/tables/t', { name: 'v' })).status).toBe(200);
  expect((await db.send('PATCH', '/tables/u', { name: 't' })).status).toBe(200);
  const other = [await tagOf(db, all()), await tagOf(db, one(1))];
  expect(new Set([...before, ...grown, ...other]).size).toBe(6);
});

describe('a store that is opened again', () => {
  const openIn = async (path: string) =>
    databaseOver(
      await openEngine({
        storage: 'file',
        path,
        mode: 'direct',
        world: systemWorld(),
        tuning: { cacheBytes: 16 << 20 },
        programMemoryBytes: 256 << 20,
        statementTimeoutMs: 0,
        concurrency: 8,
        queueMax: 64,
        holderAddress: 'test',
      }),
    );

  async function inDirectory(work: (path: string) => Promise<void>): Promise<void> {
    const path = mkdtempSync(join(tmpdir(), 'svc-tags-'));
    try {
      await work(path);
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  }

  const definition = {
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'n', type: 'int64' },
    ],
    primary_key: ['id'],
  };

  test('has the tags that it had, though its log is replayed', async () => {
    await inDirectory(async (path) => {
      const queries = [all(), one(1), one(7)];
      const tags = (db: TestDatabase) => Promise.all(queries.map((query) => tagOf(db, query)));
      let before: string[];
      {
        await using db = await openIn(path);
        await db.send('POST', '/tables', definition);
        for (let id = 0; id < 5; id++) await write(db, 'create', id, id);
        before = await tags(db);
      }
      for (let round = 0; round < 2; round++) {
        await using db = await openIn(path);
        expect(await tags(db)).toEqual(before);
      }
    });
  });

  test('and of two copies that went their own ways each has its own', async () => {
    await inDirectory(async (path) => {
      const [first, second] = [join(path, 'first'), join(path, 'second')];
      {
        await using db = await openIn(first);
        await db.send('POST', '/tables', definition);
        await write(db, 'create', 1, 1);
      }
      cpSync(first, second, { recursive: true });
      const tags: string[] = [];
      for (const [copy, n] of [
        [first, 2],
        [second, 3],
      ] as const) {
        await using db = await openIn(copy);
        await write(db, 'update', 1, n);
        // Of all commits the last ones are alike.
        await write(db, 'create', 2, 0);
        tags.push(await tagOf(db, all()), await tagOf(db, one(1)));
      }
      expect(new Set(tags).size).toBe(4);
    });
  });
});

test('whatever is written meanwhile, a tag stands for one result', async () => {
  await using db = await open();
  const random = seededRandom(7);
  const below = (bound: number) => Math.floor(random() * bound);
  const queries = [all(), all('u'), one(0), one(1), one(2), both(0, 1), both(1, 1)];
  const results = new Map<string, string>();
  const last = new Map<unknown, string>();
  let unchanged = 0;
  const ask = async () => {
    const query = queries[below(queries.length)] as unknown;
    const held = last.get(query);
    const headers: Record<string, string> = held === undefined ? {} : { 'if-none-match': held };
    const { status, text, headers: got } = await db.send('QUERY', '/execute', query, headers);
    const tag = got.get('etag') as string;
    if (status === 304) {
      expect(tag).toBe(held as string);
      unchanged++;
      return;
    }
    expect(status).toBe(200);
    const key = `${JSON.stringify(query)} ${tag}`;
    expect(text).toBe(results.get(key) ?? text);
    results.set(key, text);
    last.set(query, tag);
  };
  const change = async () => {
    const kind = (['create', 'update', 'delete'] as const)[below(3)] as Write;
    await write(db, kind, below(4), below(3), below(2) === 0 ? 't' : 'u');
  };
  for (let round = 0; round < 150; round++) {
    await Promise.all(Array.from({ length: 8 }, () => (below(3) === 0 ? change() : ask())));
    // What a 304 lets the client keep is what is there now.
    for (const query of queries) {
      const held = last.get(query);
      if (held === undefined) continue;
      const condition = { 'if-none-match': held };
      const { status } = await db.send('QUERY', '/execute', query, condition);
      const { text } = await db.send('QUERY', '/execute', query);
      if (status === 304)
        expect(text).toBe(results.get(`${JSON.stringify(query)} ${held}`) as string);
    }
  }
  expect(unchanged).toBeGreaterThan(50);
});
