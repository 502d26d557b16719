/** Columns that come as other things than the wire has: renamed, as Date, number or text, identifiers; and relations over them. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  BuildError,
  type Client,
  compile,
  createClient,
  PrecisionError,
  pageOf,
  prepare,
  program,
  type Runnable,
  recursive,
  type TableInfo,
  tablesOf,
} from '../../clients/typescript/runtime/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { outcomeOf } from '../support/outcome.ts';
import type { SchemaFile } from '../support/schema-file.ts';

const schema = {
  tables: [
    {
      id: 1,
      name: 'things',
      columns: [
        { id: 1, name: 'class', type: 'bytes', format: 'ulid', pk: true },
        { id: 2, name: 'made-at', type: 'int64', format: 'unix_ms' },
        { id: 3, name: 'n', type: 'int64' },
        { id: 4, name: 's', type: 'int64', nullable: true },
        { id: 5, name: 'of', type: 'bytes', format: 'ulid', nullable: true, ref: 'things.class' },
      ],
    },
    {
      id: 2,
      name: 'labels',
      columns: [
        { id: 1, name: 'x', type: 'bytes', format: 'xid', pk: true },
        { id: 2, name: 'text', type: 'text', unique: true },
      ],
    },
    {
      id: 3,
      name: 'links',
      columns: [
        { id: 1, name: 'thing', type: 'bytes', format: 'ulid', ref: 'things.class' },
        { id: 2, name: 'label', type: 'bytes', format: 'xid', ref: 'labels.x' },
      ],
      primary_key: ['thing', 'label'],
    },
  ],
} as unknown as SchemaFile;

const infos: readonly TableInfo[] = [
  [
    'things',
    [
      ['class', 'l', 0, 'klass'],
      ['made-at', 'D', 0, 'madeAt'],
      ['n', 'n', 0, 'number'],
      ['s', 's', 1, 'text'],
      ['of', 'l', 1, 'parentKlass'],
    ],
    [[0]],
    [
      ['parent', 0, [4], [0], 'maybe'],
      ['children', 0, [0], [4], 'many'],
      ['labels', 1, [0], [0], 'many', [2, [0], [1]]],
    ],
  ],
  [
    'labels',
    [
      ['x', 'd', 0, 'key'],
      ['text', 't', 0],
    ],
    [[0], [1]],
    [['things', 0, [0], [0], 'many', [2, [1], [0]]]],
  ],
  [
    'links',
    [
      ['thing', 'l', 0],
      ['label', 'd', 0, 'tag'],
    ],
    [[0, 1]],
    [['label', 1, [1], [0], 'one']],
  ],
];

// biome-ignore lint/suspicious/noExplicitAny: tables without types of their own
const t = tablesOf(infos) as any;
const [a, b, c] = ['A', 'B', 'C'].map((last) => `01ARYZ6S41TSV4RRFFQ69G5FA${last}`) as [
  string,
  string,
  string,
];
const x = '9m4e2mr0ui3e8a215n4g';
const when = new Date(1_700_000_000_123);

let database: TestDatabase;
let db: Client;
// biome-ignore lint/suspicious/noExplicitAny: what comes back is looked at by the tests
const run = (runnable: unknown): Promise<any> => db.run(runnable as Runnable<unknown>);

beforeAll(async () => {
  database = await openTestDatabase('direct', schema);
  db = createClient(
    { version: 1, hash: '', tables: [], compile, page: pageOf, prepare },
    {
      url: 'http://127.0.0.1:1',
      schema: 'off',
      fetch: async (url, { method, headers, body }) => {
        const { pathname, search } = new URL(url);
        const reply = await database.send(method, pathname + search, body, { ...headers });
        return new Response(reply.text, { status: reply.status, headers: reply.headers });
      },
    },
  );
  const made = await run(
    t.things.insertMany([
      { klass: b, madeAt: when, number: 2, text: '9007199254740993' },
      { klass: a, madeAt: new Date(0), number: 1, parentKlass: b },
      { klass: c, madeAt: new Date(-1), number: 3n, text: 5, parentKlass: a },
    ]),
  );
  expect(made.map(({ klass }: { klass: string }) => klass)).toEqual([b, a, c]);
  await run(t.labels.insert({ key: x, text: 'red' }));
  await run(
    t.links.insertMany([
      { thing: a, tag: x },
      { thing: c, tag: x },
    ]),
  );
});
afterAll(() => database[Symbol.asyncDispose]());

const first = { klass: a, madeAt: new Date(0), number: 1, text: null, parentKlass: b };

test('rows have members of the application', async () => {
  expect(await run(t.things.get({ klass: a }))).toEqual(first);
  expect((await run(t.things.get({ klass: b }))).text).toBe('9007199254740993');
  expect(await run(t.labels.by({ text: 'red' }))).toEqual({ key: x, text: 'red' });
  expect(await run(t.things.getMany([{ klass: c }, { klass: a }]))).toMatchObject([
    { klass: a },
    { klass: c, text: '5' },
  ]);
  expect(await run(t.things.first())).toEqual(first);
  // biome-ignore lint/suspicious/noExplicitAny: see above
  expect(await run(t.things.where((r: any) => r.madeAt.eq(when)))).toMatchObject([{ klass: b }]);
});

test('relations over renamed columns, and many to many', async () => {
  // biome-ignore-start lint/suspicious/noExplicitAny: see above
  const tree = t.things.select((r: any, rel: any) => ({
    k: r.klass,
    parent: rel.parent,
    children: rel.children.select((child: any) => ({ at: child.madeAt })),
    labels: rel.labels,
    n: rel.labels.count(),
  }));
  expect(await run(tree)).toEqual([
    {
      k: a,
      parent: expect.objectContaining({ klass: b, madeAt: when }),
      children: [{ at: new Date(-1) }],
      labels: [{ key: x, text: 'red' }],
      n: 1,
    },
    { k: b, parent: null, children: [{ at: new Date(0) }], labels: [], n: 0 },
    { k: c, parent: first, children: [], labels: [{ key: x, text: 'red' }], n: 1 },
  ]);
  const things = t.labels.select((_: any, rel: any) => ({
    things: rel.things.select((r: any) => ({ k: r.klass })),
  }));
  expect(await run(things)).toEqual([{ things: [{ k: a }, { k: c }] }]);
  expect(await run(t.things.where((_: any, rel: any) => rel.labels.exists().not()))).toMatchObject([
    { klass: b },
  ]);
  // biome-ignore-end lint/suspicious/noExplicitAny: see above
});

test('sets, joins, groups and distinct of renamed columns', async () => {
  // biome-ignore-start lint/suspicious/noExplicitAny: see above
  const whole = await run(t.things);
  expect(await run(t.things.distinct())).toEqual(whole);
  expect(await run(t.things.union(t.things).distinct())).toEqual(whole);
  expect(await run(t.things.except(t.things.where((r: any) => r.number.gt(1))))).toEqual([first]);
  const shared = t.things.shared();
  expect(await run(shared.where((r: any) => r.klass.eq(a)))).toEqual([first]);
  const joined = t.things
    .leftJoin(t.things, (l: any, r: any) => l.parentKlass.eq(r.klass))
    .select((l: any, r: any) => ({ k: l.klass, of: r.madeAt, s: r.text }));
  expect(await run(joined)).toEqual([
    { k: a, of: when, s: '9007199254740993' },
    { k: b, of: null, s: null },
    { k: c, of: new Date(0), s: null },
  ]);
  const up = recursive(
    t.things
      .where((r: any) => r.klass.eq(c))
      .select((r: any) => ({ k: r.klass, of: r.parentKlass })) as never,
    (self) =>
      t.things
        .join(self, (r: any, s: any) => r.klass.eq(s.of))
        .select((r: any) => ({ k: r.klass, of: r.parentKlass })),
  );
  expect(await run(up)).toEqual([
    { k: a, of: b },
    { k: b, of: null },
    { k: c, of: a },
  ]);
  expect(await run(t.things.value((r: any) => r.madeAt))).toEqual(new Date(0));
  // biome-ignore-end lint/suspicious/noExplicitAny: see above
});

test('pages and prepared queries', async () => {
  // biome-ignore-start lint/suspicious/noExplicitAny: see above
  const byTime = t.things.orderBy((r: any) => r.madeAt.desc());
  const page = await db.page<any>(byTime, { size: 2 });
  expect(page.rows.map((row) => row.madeAt)).toEqual([when, new Date(0)]);
  expect((await db.page<any>(byTime, { size: 2, after: page.next })).rows).toMatchObject([
    { klass: c },
  ]);
  const { klass, madeAt } = t.things.params;
  const since = db.prepare('since', { klass, madeAt }, (p: any) =>
    t.things.where((r: any) => r.madeAt.gte(p.madeAt).and(r.klass.ne(p.klass))),
  );
  expect(await (since as any)({ klass: a, madeAt: new Date(0) })).toMatchObject([{ klass: b }]);
  // biome-ignore-end lint/suspicious/noExplicitAny: see above
});

test('what later statements read', async () => {
  // biome-ignore-start lint/suspicious/noExplicitAny: see above
  const seen = program((p: any) => {
    const young = p.query(t.things.where((r: any) => r.number.gte(2)));
    const raised = p.do(
      t.things.updateFrom(young.rows, (r: any) => ({
        klass: r.klass,
        number: r.number.add(10),
        madeAt: r.madeAt,
      })),
    );
    const made = p.do(
      t.things.upsert([
        { klass: a, madeAt: when, number: 4 },
        { klass: c, madeAt: when, number: 5 },
      ]),
    );
    return {
      young,
      raised: raised.rows.count(),
      parents: made.rows.select((r: any, rel: any) => ({
        k: r.klass,
        at: r.madeAt,
        labels: rel.labels.count(),
      })),
    };
  });
  expect(await run(seen)).toEqual({
    young: [
      expect.objectContaining({ klass: b, number: 2 }),
      expect.objectContaining({ klass: c, number: 3 }),
    ],
    raised: 2,
    parents: [
      { k: a, at: when, labels: 1 },
      { k: c, at: when, labels: 1 },
    ],
  });
  expect(await run(t.things.update({ klass: b }, { text: '-9223372036854775808' }))).toMatchObject({
    number: 12,
    text: '-9223372036854775808',
  });
  // What could not be read again is not written; what the server makes of it is, and does not come back as a number.
  for (const wrong of [2n ** 53n, -(2n ** 63n)])
    expect(await outcomeOf(run(t.things.update({ klass: b }, { number: wrong })))).toThrow(
      `things.number: ${wrong} could not be read again as a number`,
    );
  expect(() => t.things.insert({ klass: b, madeAt: when, number: 2n ** 53n })).toThrow(BuildError);
  expect(
    await outcomeOf(run(t.things.update({ klass: b }, { madeAt: 8_640_000_000_000_001n }))),
  ).toThrow('could not be read again as a Date');
  await run(t.things.update({ klass: b }, { number: 2n ** 53n - 1n }));
  const raise = run(t.things.update({ klass: b }, (r: any) => ({ number: r.number.add(1) })));
  expect(await outcomeOf(raise)).toThrow(PrecisionError);
  expect(await outcomeOf(run(t.things.get({ klass: b })))).toThrow(PrecisionError);
  expect(
    await run(t.things.get({ klass: b }).select((r: any) => ({ n: r.number.asBigint() }))),
  ).toEqual({ n: 2n ** 53n });
  // Members that are called as on the wire are read where they are.
  const number = t.things.get({ klass: b }).select((r: any) => ({ n: r.number }));
  expect(await outcomeOf(run(number))).toThrow('n: 9007199254740992 is beyond 2^53');
  expect(await outcomeOf(db.cached(number as Runnable<unknown>))).toThrow(PrecisionError);
  const nested = t.things.get({ klass: a }).select((_: any, rel: any) => ({
    parent: rel.parent.select((r: any) => ({ n: r.number })),
  }));
  expect(await outcomeOf(run(nested))).toThrow(PrecisionError);
  const long = (of: any) =>
    of.select((r: any) => ({ f: r.number.float().mul(2 ** 60), i: r.number.asBigint() }));
  expect(await run(long(t.things.get({ klass: a })))).toEqual({ f: 2 ** 62, i: 4n });
  const pageOfLong = await db.page(long(t.things), { size: 1 });
  expect(pageOfLong.rows).toEqual([{ f: 2 ** 62, i: 4n }]);
  // biome-ignore-end lint/suspicious/noExplicitAny: see above
});
