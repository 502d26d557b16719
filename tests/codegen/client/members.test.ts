/** Members of queries and of clients that other tests hardly touch, against a server of its own: its answers are those of plain JavaScript over the same rows. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type Client,
  createClient,
  generatedOf,
  max,
  min,
} from '../../../clients/typescript/runtime/index.ts';
import { type Server, serve } from '../served.ts';
import { connect, type Posts, t } from '../specimen/db.ts';

let server: Server;
let db: Client;
let posts: readonly Posts[] = [];
const titles = ['Ada', 'ada b', 'Bob', 'boB', '', 'a*b', 'ÄDA', 'x%y', 'da'];

beforeAll(async () => {
  server = await serve();
  db = connect({ url: server.url, schema: 'off' });
  await db.run(
    t.users.insertMany([
      { id: 1, handle: 'ada' },
      { id: 2, handle: 'bob', bio: 'b' },
    ]),
  );
  posts = await db.run(
    t.posts.insertMany(
      titles.map((title, i) => ({
        ...{ id: i + 1, author_id: (i % 2) + 1, title, created_at: i % 4 },
        ...{ score: BigInt(i * 7 - 20), rating: i % 3 === 0 ? null : i / 4 - 1 },
        ...(i % 2 === 1 && { body: `body ${i}` }),
      })),
    ),
  );
  expect(posts).toHaveLength(titles.length);
});
afterAll(() => server[Symbol.asyncDispose]());

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

describe('queries', () => {
  test('comparisons', async () => {
    const found = await db.run({
      lt: t.posts.where((p) => p.score.lt(8n)),
      between: t.posts.where((p) => p.score.between(-6, 15)),
      between_nulls: t.posts.where((p) => p.rating.between(-1, 0.25)),
      isNotNull: t.posts.where((p) => p.body.isNotNull()),
      or: t.posts.where((p) => p.rating.lt(0).or(p.body.isNull())),
      endsWith: t.posts.where((p) => p.title.endsWith('b')),
      endsWith_fold: t.posts.where((p) => p.title.endsWith('DA', { fold: true })),
      contains: t.posts.where((p) => p.title.contains('a')),
      contains_star: t.posts.where((p) => p.title.contains('*')),
      contains_fold: t.posts.where((p) => p.title.contains('äd', { fold: true })),
    });
    const js: { readonly [K in keyof typeof found]: (p: Posts) => boolean } = {
      lt: (p) => p.score < 8n,
      between: (p) => p.score >= -6n && p.score <= 15n,
      between_nulls: (p) => p.rating !== null && p.rating >= -1 && p.rating <= 0.25,
      isNotNull: (p) => p.body !== null,
      or: (p) => (p.rating !== null && p.rating < 0) || p.body === null,
      endsWith: (p) => p.title.endsWith('b'),
      endsWith_fold: (p) => p.title.toLowerCase().endsWith('da'),
      contains: (p) => p.title.includes('a'),
      contains_star: (p) => p.title.includes('*'),
      contains_fold: (p) => p.title.toLowerCase().includes('äd'),
    };
    for (const [name, predicate] of Object.entries(js)) {
      const expected = posts.filter(predicate);
      expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(posts.length);
      expect({ name, rows: found[name as keyof typeof found] }).toEqual({ name, rows: expected });
    }
  });

  test('calculation', async () => {
    const rows = await db.run(
      t.posts.select((p) => ({
        mul: p.score.mul(p.created_at),
        div: p.score.div(3),
        half: p.rating.div(2),
        float: p.score.float(),
        number: p.score.asNumber(),
        bigint: p.id.asBigint(),
      })),
    );
    expect(rows).toEqual(
      posts.map((p) => ({
        mul: p.score * p.created_at,
        div: p.score / 3n,
        half: p.rating === null ? null : p.rating / 2,
        float: Number(p.score),
        number: Number(p.score),
        bigint: BigInt(p.id),
      })),
    );
    const folded = await db.run(
      t.posts.fold((p) => ({ lo: min(p.score), hi: max(p.rating), last: max(p.title) })),
    );
    const scores = posts.map((p) => p.score);
    expect(folded).toEqual({
      lo: scores.reduce((a, b) => (a < b ? a : b)),
      hi: Math.max(...posts.flatMap((p) => (p.rating === null ? [] : [p.rating]))),
      // Texts are ordered by their bytes.
      last: posts
        .map((p) => p.title)
        .sort((a, b) => Buffer.from(a).compare(Buffer.from(b)))
        .at(-1) as string,
    });
  });

  test('parts of orders, and sets', async () => {
    const byAge = t.posts.orderBy((p) => [p.created_at.desc(), p.id]);
    const sorted = [...posts].sort((a, b) => Number(b.created_at - a.created_at) || a.id - b.id);
    expect(idsOf(await db.run(byAge.offset(3)))).toEqual(idsOf(sorted.slice(3)));
    expect(idsOf(await db.run(byAge.offset(2).limit(4)))).toEqual(idsOf(sorted.slice(2, 6)));
    expect(idsOf(await db.run(byAge.whereIn((p) => p.id, [2, 9, 4, 4])))).toEqual(
      idsOf(sorted.filter(({ id }) => [2, 9, 4].includes(id))),
    );
    const ages = t.posts.select((p) => ({ age: p.created_at }));
    const young = t.posts.where((p) => p.id.gt(5)).select((p) => ({ age: p.created_at }));
    const all = posts.map((p) => Number(p.created_at)).sort((a, b) => a - b);
    const few = posts.filter((p) => p.id > 5).map((p) => Number(p.created_at));
    // One for one, and each once.
    const [left, both] = [[...all], [] as number[]];
    for (const age of few) both.push(...left.splice(left.indexOf(age), 1));
    const asRows = (some: readonly number[]) =>
      some.toSorted((a, b) => a - b).map((age) => ({ age: BigInt(age) }));
    expect(await db.run(ages.except(young, true))).toEqual(asRows(left));
    expect(await db.run(ages.intersect(young, true))).toEqual(asRows(both));
    expect(await db.run(ages.intersect(young))).toEqual(asRows([...new Set(few)]));
  });
});

describe('clients', () => {
  test('plans are told, and what has been run with them', async () => {
    const query = t.posts.where((p) => p.created_at.eq(1)).named('aged');
    const plan = await db.explain(query);
    expect(plan.statements.map(({ name }) => name)).toEqual(['aged']);
    expect(plan.statements[0]?.text).toMatch(/posts/);
    const before = await db.run(t.posts.count());
    await db.explain(t.posts.deleteWhere((p) => p.id.gt(0)));
    expect(await db.run(t.posts.count())).toBe(before);
    const told = await db.analyze(query);
    expect(told.result).toEqual(posts.filter((p) => p.created_at === 1n));
    expect(told.plan).toMatchObject({ statements: [{ name: 'aged' }] });
  });

  test('readers ask their own address; headers are injected into each request', async () => {
    const sent: { readonly host: string; readonly trace: string | undefined }[] = [];
    let count = 0;
    const other = server.url.replace('127.0.0.1', 'localhost');
    const client = connect({
      ...{ url: server.url, readerUrl: other, schema: 'off' },
      telemetry: {
        inject: (headers) => {
          headers['traceparent'] = `00-${'1'.repeat(32)}-${String(++count).padStart(16, '0')}-01`;
        },
      },
      fetch: (url, init) => {
        sent.push({
          host: new URL(url).hostname,
          trace: init.headers['traceparent']?.slice(36, 52),
        });
        return fetch(url.replace('localhost', '127.0.0.1'), init as RequestInit);
      },
    });
    expect(idsOf(await client.reader.run(t.posts))).toEqual(idsOf(posts));
    expect(await client.run(t.posts.count())).toBe(posts.length);
    expect(sent).toEqual([
      { host: 'localhost', trace: '0000000000000001' },
      { host: '127.0.0.1', trace: '0000000000000002' },
    ]);
    client.close();
  });

  test('waits before further attempts are capped', async () => {
    const waits: number[] = [];
    let attempts = 0;
    const overloaded = { code: 'internal', reason: 'overloaded', title: 'x', detail: 'x' };
    const world = {
      ...{ now: () => 0, unixMs: () => 0, random: () => 0.999_999 },
      after: (delayMs: number, task: () => void) => {
        // The deadline never comes; all else is at once.
        if (delayMs < 30_000) {
          waits.push(Math.round(delayMs));
          queueMicrotask(task);
        }
        return () => {};
      },
    };
    const client = createClient(
      generatedOf(0, '', []),
      {
        ...{ url: server.url, schema: 'off', retry: { capMs: 350 } },
        use: [
          async (operation, next) =>
            ++attempts < 5
              ? { status: 503, headers: new Headers(), text: JSON.stringify(overloaded) }
              : next(operation),
        ],
      },
      world,
    );
    expect(await client.run(t.posts.count())).toBe(posts.length);
    expect(waits).toEqual([100, 200, 350, 350]);
    client.close();
  });
});
