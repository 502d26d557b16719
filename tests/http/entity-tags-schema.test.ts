/** What a change of the schema does to entity tags (docs/pir.md, "Inputs of a tag"): nothing, unless the answer may differ. */

import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { type EngineOptions, openEngine } from '#engine';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { createTable, mutation, openWorkshop, workshopOver } from '../transitions/support.ts';

const col = (scope: string, column: string) => ({ kind: 'col', scope, column });

const definition = {
  name: 't',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'a', type: 'int64' },
    { name: 'b', type: 'int64', nullable: true },
    { name: 'c', type: 'int64', nullable: true },
  ],
  primary_key: ['id'],
};

const scan = { s: { kind: 'scan', table: 't', scope: 's' } };
const ordered = {
  ...scan,
  o: { kind: 'order', input: 's', terms: [{ expr: col('s', 'a') }] },
};
const project = (input: string, ...columns: readonly string[]) => ({
  kind: 'project',
  input,
  fields: columns.map((as) => ({ as, expr: col('s', as) })),
});

/** `a` alone, in its order; the key breaks ties without being named. */
const onlyA = {
  nodes: { ...ordered, p: project('o', 'a') },
  root: { node: 'p', cardinality: 'many' },
};
const aThenB = {
  nodes: { ...ordered, p: project('o', 'a', 'b') },
  root: { node: 'p', cardinality: 'many' },
};
const whole = { nodes: ordered, root: { node: 'o', cardinality: 'many' } };
const counted = {
  nodes: {
    ...scan,
    g: { kind: 'aggregate', input: 's', scope: 'g', aggs: [{ fn: 'count', as: 'n' }] },
  },
  root: { node: 'g', cardinality: 'scalar' },
};
const byKey = (...columns: readonly string[]) => ({
  nodes: {
    ...scan,
    f: {
      kind: 'filter',
      input: 's',
      predicate: {
        kind: 'binary',
        op: 'eq',
        left: col('s', 'id'),
        right: { kind: 'lit', value: { type: 'int64', value: '1' } },
      },
    },
    p: project('f', ...columns),
  },
  root: { node: 'p', cardinality: 'first' },
});
/** The rows of a binding, of which one column is taken. */
const throughBinding = {
  nodes: {
    ...scan,
    r: { kind: 'ref', binding: 'all', scope: 'r' },
    q: { kind: 'order', input: 'r', terms: [{ expr: col('r', 'a') }, { expr: col('r', 'id') }] },
    p: { kind: 'project', input: 'q', fields: [{ as: 'a', expr: col('r', 'a') }] },
  },
  bindings: { all: { kind: 'derived', node: 's' } },
  root: { node: 'p', cardinality: 'many' },
};
const differentRows = {
  nodes: {
    ...scan,
    d: { kind: 'distinct', input: 's' },
    g: { kind: 'aggregate', input: 'd', scope: 'g', aggs: [{ fn: 'count', as: 'n' }] },
  },
  root: { node: 'g', cardinality: 'scalar' },
};
/** Each row with the whole rows that have its `a`. */
const nested = {
  nodes: {
    ...ordered,
    p: {
      kind: 'project',
      input: 'o',
      fields: [
        { as: 'a', expr: col('s', 'a') },
        { as: 'same', expr: { kind: 'array', node: 'io' } },
      ],
    },
    i: { kind: 'scan', table: 't', scope: 'i' },
    if: {
      kind: 'filter',
      input: 'i',
      predicate: { kind: 'binary', op: 'eq', left: col('i', 'a'), right: col('s', 'a') },
    },
    io: { kind: 'order', input: 'if', terms: [{ expr: col('i', 'a') }] },
  },
  root: { node: 'p', cardinality: 'many' },
};
/** The same, of which only their being there is asked. */
const existing = {
  nodes: {
    ...nested.nodes,
    p: {
      kind: 'project',
      input: 'o',
      fields: [
        { as: 'a', expr: col('s', 'a') },
        { as: 'same', expr: { kind: 'exists', node: 'if' } },
      ],
    },
  },
  root: { node: 'p', cardinality: 'many' },
};
delete (existing.nodes as Record<string, unknown>).io;

/** Nothing moves transitions and reclamations but the test. */
const options = (path: string): EngineOptions => ({
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
  worksOnTransitions: false,
});

async function opened(): Promise<TestDatabase> {
  const db = await openTestDatabase();
  await done(db, 'POST', '/tables', definition);
  const types = ['id int64', 'a int64', 'b int64?', 'c int64?'] as const;
  const rows = mutation('create', 't', types, ['1', '10', '5', null], ['2', '10', '7', '8']);
  await done(db, 'POST', '/execute', { statements: [{ name: 'w', ...rows }] });
  return db;
}

async function done(db: TestDatabase, method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await db.send(method, path, body);
  expect([path, status < 300 ? '' : text]).toEqual([path, '']);
}

async function tagOf(db: TestDatabase, query: unknown): Promise<string> {
  const { status, text, headers } = await db.send('QUERY', '/execute', query);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return headers.get('etag') as string;
}

type Change = readonly [method: string, path: string, body?: unknown];

const addIndex: Change = ['POST', '/tables/t/indexes', { name: 'x', columns: ['a'] }];
const addUnique: Change = [
  'POST',
  '/tables/t/indexes',
  { name: 'y', columns: ['b'], unique: true },
];
const dropIndex: Change = ['DELETE', '/tables/t/indexes/x'];
const addColumn: Change = [
  'POST',
  '/tables/t/columns',
  { name: 'd', type: 'int64', nullable: true },
];
const renameC: Change = ['PATCH', '/tables/t/columns/c', { name: 'cc' }];
const dropC: Change = ['DELETE', '/tables/t/columns/c'];
const dropCc: Change = ['DELETE', '/tables/t/columns/cc'];
const renameKey: Change = ['PATCH', '/tables/t/columns/id', { name: 'nr' }];

const allChanges = [addIndex, addUnique, dropIndex, addColumn, renameC, dropCc, renameKey];

/** Those of the changes, made one after the other, that give the query another tag. */
async function changing(query: unknown, ...changes: readonly Change[]): Promise<readonly Change[]> {
  await using db = await opened();
  let tag = await tagOf(db, query);
  const found: Change[] = [];
  for (const change of changes) {
    await done(db, ...change);
    const now = await tagOf(db, query);
    if (now !== tag) found.push(change);
    tag = now;
  }
  return found;
}

describe('a tag stays', () => {
  test.each([
    ['of one column', onlyA],
    ['of a count', counted],
    ['of rows that are only asked whether they exist', existing],
  ] as const)(
    '%s, whatever happens to indexes and to columns that it does not name',
    async (_, query) => {
      expect(await changing(query, ...allChanges)).toEqual([]);
    },
  );

  test('of a row by its key and of a column of a binding, whatever happens to columns that they do not name', async () => {
    const changes = allChanges.slice(0, -1);
    expect(await changing(byKey('a'), ...changes)).toEqual([]);
    expect(await changing(throughBinding, ...changes)).toEqual([]);
  });

  test('of whole rows, as long as only indexes change', async () => {
    for (const query of [whole, nested, differentRows]) {
      expect(await changing(query, addIndex, addUnique, dropIndex)).toEqual([]);
    }
  });

  test('and the client that has it gets 304, though the query is planned anew', async () => {
    await using db = await opened();
    const tag = await tagOf(db, onlyA);
    for (const change of [addIndex, addColumn]) {
      await done(db, ...change);
      const { status } = await db.send('QUERY', '/execute', onlyA, { 'if-none-match': tag });
      expect(status).toBe(304);
    }
  });

  test('in every step of an index build', async () => {
    await using db = await openWorkshop();
    await db.run(createTable('t', ['id int64', 'a int64']));
    const rows = Array.from({ length: 3000 }, (_, i) => [String(i), String(i % 7)]);
    await db.run(mutation('create', 't', ['id int64', 'a int64'] as const, ...rows));
    const tag = await tagOf(db, onlyA);
    const index = { name: 'x', columns: ['a'], unique: false };
    const id = await db.start({ kind: 'start_index_build', table_id: 1, index });
    const states = new Set<string>();
    for (;;) {
      const { state } = await db.get(id);
      states.add(state);
      expect([state, await tagOf(db, onlyA)]).toEqual([state, tag]);
      if (state === 'ready') break;
      await db.worker.round();
    }
    expect(states.size).toBeGreaterThan(2);
  });
});

test('a tag stays while rows are stored anew without a deleted column, and when they are read back from the log', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-tags-'));
  try {
    const queries = [onlyA, byKey('a'), counted];
    const tags = (db: TestDatabase) => Promise.all(queries.map((query) => tagOf(db, query)));
    let before: string[];
    {
      await using db = workshopOver(await openEngine(options(path)));
      await db.run(createTable('t', ['id int64', 'a int64', 'b int64?']));
      const rows = Array.from({ length: 2000 }, (_, i) => [String(i), String(i % 7), '1']);
      await db.run(mutation('create', 't', ['id int64', 'a int64', 'b int64?'] as const, ...rows));
      before = await tags(db);
      await db.run({ kind: 'delete_column', table_id: 1, column_id: 3 });
      await db.settle();
      expect(await tags(db)).toEqual(before);
    }
    await using again = workshopOver(await openEngine(options(path)));
    expect(await tags(again)).toEqual(before);
    // Rows that a program writes are another matter, whatever else it does.
    await again.run(mutation('update', 't', ['id int64', 'a int64'] as const, ['1', '99']));
    const after = await tags(again);
    expect(after.map((tag, i) => tag === before[i])).toEqual([false, false, false]);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});

describe('a tag changes', () => {
  test('of whole rows, with each column that comes, goes or has another name', async () => {
    for (const query of [whole, nested]) {
      const changes = [addColumn, renameC, dropCc, renameKey];
      expect(await changing(query, ...changes)).toEqual(changes);
    }
  });

  test('when rows are compared as wholes, with each column that comes or goes, and with no index', async () => {
    expect(await changing(differentRows, addIndex, addColumn, dropC)).toEqual([addColumn, dropC]);
  });

  test('when two columns exchange their names', async () => {
    const swap: readonly Change[] = [
      ['PATCH', '/tables/t/columns/a', { name: 'x' }],
      ['PATCH', '/tables/t/columns/b', { name: 'a' }],
      ['PATCH', '/tables/t/columns/x', { name: 'b' }],
    ];
    await using db = await opened();
    for (const query of [aThenB, onlyA, byKey('a', 'b')]) {
      const [tag, { json }] = [await tagOf(db, query), await db.send('QUERY', '/execute', query)];
      for (const change of swap) await done(db, ...change);
      const after = await db.send('QUERY', '/execute', query);
      expect(after.json).not.toEqual(json);
      expect(after.headers.get('etag')).not.toBe(tag);
    }
  });

  test('when two tables that it reads exchange their names', async () => {
    await using db = await openTestDatabase();
    const column = { name: 'id', type: 'int64' };
    for (const [name, ...ids] of [
      ['live', '1', '2', '3'],
      ['banned', '3'],
    ] as const) {
      await done(db, 'POST', '/tables', { name, columns: [column], primary_key: ['id'] });
      const rows = mutation('create', name, ['id int64'], ...ids.map((id) => [id]));
      await done(db, 'POST', '/execute', { statements: [{ name: 'w', ...rows }] });
    }
    const ofBoth = {
      nodes: {
        l: { kind: 'scan', table: 'live', scope: 'l' },
        b: { kind: 'scan', table: 'banned', scope: 'b' },
        same: {
          kind: 'filter',
          input: 'b',
          predicate: { kind: 'binary', op: 'eq', left: col('b', 'id'), right: col('l', 'id') },
        },
        f: {
          kind: 'filter',
          input: 'l',
          predicate: { kind: 'unary', op: 'not', expr: { kind: 'exists', node: 'same' } },
        },
        o: { kind: 'order', input: 'f', terms: [{ expr: col('l', 'id') }] },
      },
      root: { node: 'o', cardinality: 'many' },
    };
    const before = await tagOf(db, ofBoth);
    for (const [from, to] of [
      ['live', 'spare'],
      ['banned', 'live'],
      ['spare', 'banned'],
    ]) {
      await done(db, 'PATCH', `/tables/${from}`, { name: to });
    }
    const after = await db.send('QUERY', '/execute', ofBoth, { 'if-none-match': before });
    expect([after.status, after.json]).toEqual([200, []]);
  });

  test('when a column is deleted and made anew under its name', async () => {
    await using db = await opened();
    const tag = await tagOf(db, aThenB);
    await done(db, 'DELETE', '/tables/t/columns/b');
    await done(db, 'POST', '/tables/t/columns', { name: 'b', type: 'int64', nullable: true });
    expect(await tagOf(db, aThenB)).not.toBe(tag);
  });

  test('when a column is replaced by one of another type', async () => {
    await using db = await openWorkshop();
    await db.run(createTable('t', ['id int64', 'a int64']));
    await db.run(mutation('create', 't', ['id int64', 'a int64'], ['1', '10']));
    const tag = await tagOf(db, onlyA);
    const replacement = { type: 'float64', nullable: false };
    const start = { kind: 'start_column_replacement', table_id: 1, column_id: 2, replacement };
    await db.until(await db.start(start), 'ready');
    expect((await db.send('QUERY', '/execute', onlyA)).text).toBe('[{"a":10.0}]');
    expect(await tagOf(db, onlyA)).not.toBe(tag);
  });
});

test('whatever happens to schema and rows, a tag stands for one text', async () => {
  const queries = {
    onlyA,
    aThenB,
    whole,
    counted,
    throughBinding,
    differentRows,
    nested,
    existing,
  };
  const random = seededRandom(11);
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  await using db = await opened();
  const texts = new Map<string, string>();
  let kept = 0;
  for (let round = 0; round < 100; round++) {
    const names = ['id', 'a', 'b', 'c', 'd'];
    const [one, other] = [pick(names), pick(names)];
    const change = pick<Change>([
      ['POST', '/tables/t/indexes', { name: pick(['x', 'y']), columns: [one] }],
      ['DELETE', `/tables/t/indexes/${pick(['x', 'y'])}`],
      ['PATCH', `/tables/t/columns/${one}`, { name: other }],
      ['PATCH', `/tables/t/columns/${one}`, { name: 'spare' }],
      ['PATCH', '/tables/t/columns/spare', { name: one }],
      ['DELETE', `/tables/t/columns/${pick(['c', 'd'])}`],
      ['POST', '/tables/t/columns', { name: one, type: 'int64', nullable: true }],
      ['PATCH', `/tables/t/columns/${one}`, { default: { kind: 'literal', value: '3' } }],
    ]);
    // Many of these are refused, and then nothing may have changed.
    await db.send(...change);
    for (const [name, query] of Object.entries(queries)) {
      const { status, text, headers } = await db.send('QUERY', '/execute', query);
      if (status !== 200) continue;
      const key = `${name} ${headers.get('etag')}`;
      if (texts.has(key)) kept++;
      expect([key, texts.get(key) ?? text]).toEqual([key, text]);
      texts.set(key, text);
    }
  }
  expect(texts.size).toBeGreaterThan(25);
  expect(kept).toBeGreaterThan(150);
});
