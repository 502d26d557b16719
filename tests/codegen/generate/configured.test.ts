/** What a configuration changes of the values, live: the client of the golden file `configured` against a server. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parse } from 'yaml';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { outcomeOf } from '../../support/outcome.ts';
import type { SchemaFile } from '../../support/schema-file.ts';
import { BuildError, connect, type Id, PrecisionError, t } from './golden/configured.gen.ts';
import { goldens } from './schemas.ts';

let database: TestDatabase;
let db: ReturnType<typeof connect>;
const sent: string[] = [];

beforeAll(async () => {
  const { schema } = goldens.find(({ name }) => name === 'configured') as { schema: string };
  database = await openTestDatabase('direct', parse(schema) as SchemaFile);
  db = connect({
    url: 'http://127.0.0.1:1',
    fetch: async (url, { method, headers, body }) => {
      const { pathname, search } = new URL(url);
      sent.push(body as string);
      const reply = await database.send(method, pathname + search, body, { ...headers });
      const text = reply.text === '' ? null : reply.text;
      return new Response(text, { status: reply.status, headers: reply.headers });
    },
  });
});
afterAll(() => database[Symbol.asyncDispose]());

const at = new Date('2026-01-02T03:04:05.678Z');

test('JSON, dates, names and identities come and go', async () => {
  const ada = await db.run(t.users.insert({ handle: 'ada' }));
  const made = await db.run(
    t.articles.insert({
      authorId: ada.id,
      headline: 'first',
      meta: { tags: ['a', '"b"'] },
      status: 'draft',
      createdAt: at,
    }),
  );
  expect(made).toEqual({
    id: made.id,
    authorId: ada.id,
    headline: 'first',
    score: 0,
    meta: { tags: ['a', '"b"'] },
    status: 'draft',
    createdAt: at,
  });
  expect(sent.at(-1)).toContain('"author_id"');
  const found = await db.run(
    t.articles
      .where((a) => a.createdAt.gte(at).and(a.status.eq('draft')).and(a.createdAt.eq(at.getTime())))
      .select((a, r) => ({
        headline: a.headline,
        meta: a.meta,
        by: r.writer.select((u) => ({ id: u.id })),
      })),
  );
  expect(found).toEqual([{ headline: 'first', meta: { tags: ['a', '"b"'] }, by: { id: ada.id } }]);
  const changed = await db.run(t.articles.update({ id: made.id }, { meta: null, status: 'live' }));
  expect(changed).toMatchObject({ meta: null, status: 'live', createdAt: at });
  const users = await db.run(t.users.select((u, r) => ({ id: u.id, n: r.written.count() })));
  expect(users).toEqual([{ id: ada.id, n: 1 }]);
  const prepared = db.prepare('one', { id: t.users.params.id }, ({ id }) => t.users.get({ id }));
  expect(await prepared({ id: ada.id })).toEqual(ada);
  const page = await db.page(
    t.articles.orderBy((a) => a.createdAt.desc()),
    { size: 1 },
  );
  expect(page.rows.length).toBe(1);
});

test('a number that gets what is no safe integer says so', async () => {
  const { id } = await db.run(t.users.insert({ handle: 'bob' }));
  const row = { authorId: id, headline: 'x', status: 'draft', createdAt: at } as const;
  expect(() => t.articles.insert({ ...row, score: 2n ** 53n })).toThrow(BuildError);
  await db.run(t.articles.insert({ ...row, score: 2n ** 53n - 1n }));
  const raise = t.articles.updateWhere(
    (a) => a.authorId.eq(id),
    (a) => ({ score: a.score.add(1) }),
  );
  expect(await outcomeOf(db.run(raise))).toThrow(PrecisionError);
  expect(await outcomeOf(db.run(t.articles))).toThrow(
    'posts.score: 9007199254740992 is beyond 2^53',
  );
});

test('an identity of one table is none of another', () => {
  const id = 1 as Id<'articles', number>;
  // @ts-expect-error
  const query = t.users.get({ id });
  expect(query).toBeDefined();
  // @ts-expect-error
  t.users.where((u) => u.id.eq(id));
  // @ts-expect-error
  expect(() => t.users.select((u) => ({ n: u.id.add(1) }))).toBeDefined();
});

test('the schema is that of the server, and another one is noticed', async () => {
  expect(await db.run(t.users.count())).toBe(2);
  expect(sent.filter((body) => body === undefined).length).toBeGreaterThan(0);
});

test('a column of a type of its own stands beside that type alone', async () => {
  type Status = 'draft' | 'live';
  const live: Status = 'live';
  const found = await db.run(
    t.articles
      .where((a) => a.status.in([live]).or(a.status.startsWith('dra')).or(a.status.same('draft')))
      .leftJoin(t.users, (a, u) => u.id.eq(a.authorId))
      .select((a, u) => ({ status: a.status, or: a.status.orElse('live'), by: u.handle })),
  );
  const statuses: (Status | null)[] = found.flatMap(({ status, or }) => [status, or]);
  expect(statuses).toEqual(['live', 'live', 'draft', 'draft']);
  // @ts-expect-error: no status
  const wrong = () => t.articles.where((a) => a.status.eq('lve'));
  // @ts-expect-error: one of them is no status
  const oneWrong = () => t.articles.where((a) => a.status.in(['live', 'lve']));
  // @ts-expect-error: no status
  const wrongElse = () => t.articles.select((a) => ({ s: a.status.orElse('none') }));
  // @ts-expect-error: no status, beside the columns of an outer side
  const outer = () => t.users.leftJoin(t.articles, (_, a) => a.status.ne('lve'));
  expect([wrong, oneWrong, wrongElse, outer].map((make) => typeof make())).toEqual(
    Array(4).fill('object'),
  );
});
