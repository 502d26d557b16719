/** What is found by its text is answered to the letter as what is parsed, checked and planned: another application over the same engine tells. */

import { describe, expect, test } from 'bun:test';
import type { StoreTuning } from '#storage';
import {
  databaseOver,
  openTestDatabase,
  type Reply,
  type TestDatabase,
} from '../support/database.ts';
import type { SchemaFile } from '../support/schema-file.ts';

const schema: SchemaFile = {
  tables: [
    {
      id: 1,
      name: 'thing',
      columns: [
        { id: 1, name: 'id', type: 'int64', pk: true },
        { id: 2, name: 'name', type: 'text' },
      ],
    },
  ],
};

async function open(tuning?: StoreTuning): Promise<TestDatabase> {
  const db = await openTestDatabase('schema', schema, tuning);
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
  ];
  const rows = Array.from({ length: 300 }, (_, i) => [`${i}`, `thing ${i % 40}`]);
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows } },
    root: { node: 'r', cardinality: 'many' },
  };
  const create = { kind: 'create', name: 'c', table: 'thing', relation };
  await db.send('POST', '/execute', { statements: [create] });
  // Flushes of a store in memory take some turns, and no time.
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
  return db;
}

const column = (name: string) => ({ kind: 'col', scope: 's', column: name });
const literal = (type: string, value: string) => ({ kind: 'lit', value: { type, value } });
const compare = (op: string, left: unknown, right: unknown) => ({
  kind: 'binary',
  op,
  left,
  right,
});

/** Things whose id is one of the two, or with that name; the names of the nodes are the caller's. */
function someThings(ids: readonly [string, string], name: string, names = ['s', 'f', 'o']) {
  const [s, f, o] = names as [string, string, string];
  const byId = ids.map((id) => compare('eq', column('id'), literal('int64', id)));
  const byName = compare('eq', column('name'), literal('text', name));
  const either = (left: unknown, right: unknown) => compare('or', left, right);
  return {
    nodes: {
      [o]: { kind: 'order', input: f, terms: [{ expr: column('id') }] },
      [f]: { kind: 'filter', input: s, predicate: [...byId, byName].reduce(either) },
      [s]: { kind: 'scan', table: 'thing', scope: 's' },
    },
    root: { node: o, cardinality: 'many' },
  };
}

const shown = ({ status, text, headers }: Reply) => ({ status, text, headers: [...headers] });

/** Of the full path: nothing is known to a new application. */
const fully = async (db: TestDatabase, ...request: Parameters<TestDatabase['send']>) =>
  shown(await databaseOver(db.engine).send(...request));

describe('a query that differs in literals only', () => {
  test('is found by its text, and answered as ever', async () => {
    await using db = await open();
    await db.send('QUERY', '/execute', someThings(['1', '2'], 'thing 3'));
    const bodies = [
      someThings(['1', '2'], 'thing 3'),
      someThings(['7', '250'], 'thing 39'),
      someThings(['-1', '9223372036854775807'], 'ü 🐘 \u2028'),
      someThings(['0', '0'], ''),
    ];
    for (const body of bodies) {
      const before = db.counters.templateHits;
      const known = shown(await db.send('QUERY', '/execute', body));
      expect(db.counters.templateHits).toBe(before + 1);
      expect(known).toEqual(await fully(db, 'QUERY', '/execute', body));
    }
  });

  test('is 304 by the tag that either way gave', async () => {
    await using db = await open();
    const body = someThings(['1', '2'], 'thing 3');
    const first = await db.send('QUERY', '/execute', body);
    const second = await db.send('QUERY', '/execute', body);
    expect(db.counters.templateHits).toBe(1);
    const tag = first.headers.get('etag') as string;
    expect(second.headers.get('etag')).toBe(tag);
    const condition = { 'if-none-match': tag };
    const unchanged = await db.send('QUERY', '/execute', body, condition);
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    expect(shown(unchanged)).toEqual(await fully(db, 'QUERY', '/execute', body, condition));
    const other = someThings(['1', '5'], 'thing 3');
    expect((await db.send('QUERY', '/execute', other, condition)).status).toBe(200);
    expect(db.counters.templateHits).toBe(3);
  });

  test('gets the tag of its document in whatever text', async () => {
    await using db = await open();
    const spelled = (ids: readonly [string, string]) => {
      // Members named by numbers come first when they are read, in another order than here.
      const compact = JSON.stringify(someThings(ids, 'thing 3', ['s', '2', '1']));
      const turned = compact.replace(
        /^\{"nodes":\{("1":.*?),("2":.*?),("s":.*?)\},"root"/,
        (_, a, b, c) => `{"nodes":{${c},${b},${a}},"root"`,
      );
      const repeated = turned.replace('"type":"int64",', '"type":"int64","value":"5",');
      return { compact, others: [turned, repeated, JSON.stringify(JSON.parse(turned), null, 2)] };
    };
    const first = spelled(['1', '2']);
    const next = spelled(['4', '6']);
    expect(first.others[0]).not.toBe(first.compact);
    const wanted = await fully(db, 'QUERY', '/execute', next.compact);
    for (const [i, text] of first.others.entries()) {
      await db.send('QUERY', '/execute', text);
      const before = db.counters.templateHits;
      expect(shown(await db.send('QUERY', '/execute', next.others[i]))).toEqual(wanted);
      expect(db.counters.templateHits).toBe(before + 1);
    }
  });

  test('has another tag when its table has changed', async () => {
    await using db = await open();
    const body = someThings(['1', '2'], 'thing 3');
    const tagOf = async () => (await db.send('QUERY', '/execute', body)).headers.get('etag');
    const first = await tagOf();
    expect(await tagOf()).toBe(first);
    const { nodes } = someThings(['1', '1'], '');
    const key = { kind: 'project', input: 'f', fields: [{ as: 'id', expr: column('id') }] };
    const relation = {
      nodes: { s: nodes['s'], f: nodes['f'], key },
      root: { node: 'key', cardinality: 'many' },
    };
    const deletion = { kind: 'delete', name: 'd', table: 'thing', relation };
    const deleted = await db.send('POST', '/execute', { statements: [deletion] });
    expect(deleted.json).toMatchObject({ statements: [{ affected: 1 }] });
    const changed = shown(await db.send('QUERY', '/execute', body));
    expect(db.counters.templateHits).toBe(2);
    expect(changed).toEqual(await fully(db, 'QUERY', '/execute', body));
    expect(await tagOf()).not.toBe(first);
  });

  test('is planned anew when its table is another one', async () => {
    await using db = await open();
    const body = someThings(['1', '2'], 'thing 3');
    await db.send('QUERY', '/execute', body);
    const { templates } = db.counters;
    await db.engine.changeCatalog(() => ({
      kind: 'rename_column',
      table_id: 1,
      column_id: 2,
      to: 'title',
    }));
    const refused = await db.send('QUERY', '/execute', body);
    expect(refused.status).toBe(422);
    expect(db.counters.templates).toBe(templates - 1);
  });

  test('is refused as ever when a literal is none of its type', async () => {
    await using db = await open();
    await db.send('QUERY', '/execute', someThings(['1', '2'], 'thing 3'));
    const body = someThings(['1', 'two'], 'thing 3');
    const refused = shown(await db.send('QUERY', '/execute', body));
    expect(refused.status).toBe(400);
    expect(refused).toEqual(await fully(db, 'QUERY', '/execute', body));
  });
});

/** A page of the things with `pattern` in their names; ordered by id unless told otherwise. */
function pageOf(offset: unknown, limit: unknown, pattern = 'thing', order = true) {
  const parts = [{ kind: 'any_many' }, { kind: 'literal', value: pattern }, { kind: 'any_many' }];
  const predicate = { kind: 'text_match', value: column('name'), parts };
  const relation = {
    nodes: {
      s: { kind: 'scan', table: 'thing', scope: 's' },
      f: { kind: 'filter', input: 's', predicate },
      ...(order && { o: { kind: 'order', input: 'f', terms: [{ expr: column('id') }] } }),
      p: { kind: 'slice', input: order ? 'o' : 'f', offset, limit },
    },
    root: { node: 'p', cardinality: 'many' },
  };
  return { statements: [{ kind: 'query', name: 'q', relation }] };
}

describe('a page', () => {
  /** The answer of the template, which is that of the full path, and whether it was found. */
  async function ask(db: TestDatabase, page: ReturnType<typeof pageOf>) {
    const before = db.counters.templateHits;
    const known = shown(await db.send('POST', '/execute', page));
    expect(known).toEqual(await fully(db, 'POST', '/execute', page));
    const { result = [] } = JSON.parse(known.text);
    const ids = [result].flat().map(({ id }: { readonly id: number }) => id);
    return { status: known.status, ids, isFound: db.counters.templateHits > before };
  }

  test('is found by the text of another one of its class', async () => {
    await using db = await open();
    const first = await ask(db, pageOf(0, 10));
    expect([first.isFound, first.ids[0], first.ids.length]).toEqual([false, 0, 10]);
    const pages = [
      [10, 10, 10, 10],
      [90, 25, 90, 25],
      [99, 99, 99, 99],
      [0, 10, 0, 10],
    ] as const;
    for (const [offset, limit, from, count] of pages) {
      const page = await ask(db, pageOf(offset, limit));
      expect([page.isFound, page.ids[0], page.ids.length]).toEqual([true, from, count]);
    }
  });

  test('is planned by itself when its limit or offset is of another class', async () => {
    await using db = await open();
    const classes = [
      [0, 0],
      [0, 1],
      [0, 2],
      [0, 3],
      [0, 10],
      [0, 100],
      [100, 10],
      [1000, 10],
    ];
    for (const [offset, limit] of classes) {
      expect((await ask(db, pageOf(offset, limit))).isFound).toBe(false);
    }
    for (const [offset, limit] of classes) {
      expect((await ask(db, pageOf(offset, limit))).isFound).toBe(true);
    }
  });

  test('is refused as ever when its numbers are none', async () => {
    await using db = await open();
    await ask(db, pageOf(0, 10));
    for (const wrong of [-1, 1.5, '10', null, 1e20]) {
      expect(await ask(db, pageOf(0, wrong))).toMatchObject({ status: 422, isFound: false });
      expect(await ask(db, pageOf(wrong, 10))).toMatchObject({ status: 422, isFound: false });
    }
  });

  test('of rows in no order begins with the first one only', async () => {
    await using db = await open();
    const countOf = (offset: number, limit: number) => {
      const { statements } = pageOf(offset, limit, 'thing', false);
      const { nodes } = (statements[0] as (typeof statements)[number]).relation;
      const count = { kind: 'aggregate', input: 'p', aggs: [{ fn: 'count', as: 'id' }] };
      const root = { node: 'c', cardinality: 'exactly_one' };
      const relation = { nodes: { ...nodes, c: count }, root };
      return { statements: [{ kind: 'query', name: 'q', relation }] } as typeof page;
    };
    const page = pageOf(0, 0);
    await ask(db, countOf(0, 100));
    expect(await ask(db, countOf(0, 200))).toMatchObject({ isFound: true, ids: [200] });
    expect(await ask(db, countOf(1, 100))).toMatchObject({ isFound: false, status: 422 });
  });

  test('of other texts is found, and none of an empty part', async () => {
    await using db = await open();
    await ask(db, pageOf(0, 10));
    expect(await ask(db, pageOf(0, 10, 'g 39'))).toMatchObject({ isFound: true, status: 200 });
    expect((await ask(db, pageOf(0, 10, '7'))).ids).toEqual([
      7, 17, 27, 37, 47, 57, 67, 77, 87, 97,
    ]);
    expect(await ask(db, pageOf(0, 10, ''))).toMatchObject({ isFound: false, status: 422 });
  });

  test('of other texts is searched in blocks by those', async () => {
    await using db = await open({ memtableBytes: 1 });
    for (const pattern of ['g 39', 'g 3', 'ing 1', 'none']) {
      const { ids, isFound } = await ask(db, pageOf(0, 300, pattern));
      expect([pattern, ids.length]).toEqual([pattern, counts[pattern] as number]);
      expect(isFound).toBe(pattern !== 'g 39');
    }
  });
  const counts: Readonly<Record<string, number>> = { 'g 39': 7, 'g 3': 78, 'ing 1': 88, none: 0 };
});

describe('a long program', () => {
  const readOf = (id: number) => ({
    nodes: {
      s: { kind: 'scan', table: 'thing', scope: 's' },
      f: {
        kind: 'filter',
        input: 's',
        predicate: compare('eq', column('id'), literal('int64', String(id))),
      },
    },
    root: { node: 'f', cardinality: 'first' },
  });

  test('of a hundred reads by key is found by its text', async () => {
    await using db = await open();
    const programOf = (from: number) => ({
      statements: Array.from({ length: 100 }, (_, i) => {
        return { kind: 'query', name: `q${i}`, relation: readOf(from + i) };
      }),
      result: 'q99',
    });
    await db.send('POST', '/execute', programOf(0));
    const { templateHits } = db.counters;
    const known = shown(await db.send('POST', '/execute', programOf(150)));
    expect(db.counters.templateHits).toBe(templateHits + 1);
    expect(JSON.parse(known.text).result.id).toBe(249);
    expect(known).toEqual(await fully(db, 'POST', '/execute', programOf(150)));
  });

  test('of many cells is not kept', async () => {
    await using db = await open();
    const { templates } = db.counters;
    const rows = Array.from({ length: 2_000 }, (_, i) => [String(i)]);
    const columns = [{ name: 'id', type: 'int64' }];
    const nodes = {
      r: { kind: 'rows', scope: 'r', columns, rows },
      c: { kind: 'aggregate', input: 'r', aggs: [{ fn: 'count', as: 'n' }] },
    };
    const relation = { nodes, root: { node: 'c', cardinality: 'scalar' } };
    const program = { statements: [{ kind: 'query', name: 'q', relation }] };
    expect(JSON.stringify(program).length).toBeGreaterThan(16 * 1024);
    expect((await db.send('POST', '/execute', program)).status).toBe(200);
    expect(db.counters.templates).toBe(templates);
  });
});

test('the text of a known query is no program, and that of a known program no query', async () => {
  await using db = await open();
  const relation = someThings(['1', '2'], 'thing 3');
  const program = { statements: [{ kind: 'query', name: 'q', relation }] };
  await db.send('QUERY', '/execute', relation);
  await db.send('POST', '/execute', program);
  expect((await db.send('POST', '/execute', relation)).status).toBe(400);
  expect((await db.send('QUERY', '/execute', program)).status).toBe(400);
});

describe('a member that stands twice', () => {
  const read = (rows: string, value: string) =>
    `{"nodes":{"r":{"kind":"rows","scope":"r","columns":[{"name":"n","type":"text","nullable":true}],${rows}},"p":{"kind":"project","input":"r","scope":"p","fields":[{"as":"n","expr":{"kind":"col","scope":"r","column":"n"}},{"as":"v","expr":{"kind":"lit","value":{${value}}}}]}},"root":{"node":"p","cardinality":"first"}}`;
  const one = '"rows":[["a"]]';
  const plain = '"type":"text","value":"b"';

  test.each([
    [
      'a text',
      read(one, '"value":"x","type":"text","value":"y"'),
      read(one, '"value":"w","type":"text","value":"y"'),
    ],
    [
      'NULL',
      read(one, '"value":"x","type":"text","value":null'),
      read(one, '"value":"w","type":"text","value":null'),
    ],
    [
      'true',
      read(one, '"value":1,"type":"bool","value":true'),
      read(one, '"value":2,"type":"bool","value":true'),
    ],
    [
      'an object',
      read(one, '"value":{"value":"x"},"type":"text","value":"y"'),
      read(one, '"value":{"value":"w"},"type":"text","value":"y"'),
    ],
    [
      'a NULL cell',
      read('"rows":[["x"]],"rows":[[null]]', plain),
      read('"rows":[["w"]],"rows":[[null]]', plain),
    ],
    [
      'other rows',
      read('"rows":[["x"]],"rows":[["y"]]', plain),
      read('"rows":[["w"]],"rows":[["y"]]', plain),
    ],
  ])('counts as what it is at last: %s', async (_, first, second) => {
    await using db = await open();
    const relation = (body: string) =>
      `{"statements":[{"kind":"query","name":"q","relation":${body}}]}`;
    for (const body of [first, second]) {
      const last = JSON.stringify(JSON.parse(body));
      for (let turn = 0; turn < 2; turn++) {
        const query = await db.send('QUERY', '/execute', body);
        const fresh = await databaseOver(db.engine).send('QUERY', '/execute', last);
        expect([query.status, query.text]).toEqual([fresh.status, fresh.text]);
        const program = await db.send('POST', '/execute', relation(body));
        const anew = await databaseOver(db.engine).send('POST', '/execute', relation(last));
        expect([program.status, program.text]).toEqual([anew.status, anew.text]);
      }
    }
  });
});
