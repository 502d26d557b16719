/** Prepared queries and statements: one text, whose values come with each call. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  BuildError,
  compile,
  createClient,
  program,
} from '../../clients/typescript/runtime/index.ts';
import { outcomeOf } from '../support/outcome.ts';
import { type Forum, openForum } from './builder-support.ts';
import { type Posts, t, type Users } from './specimen/db.ts';

let forum: Forum;
beforeAll(async () => {
  forum = await openForum();
  await forum.db.run(
    t.users.insertMany([
      { id: 1, handle: 'ada' },
      { id: 2, handle: 'b"\\\n\u0000😀', bio: 'b' },
    ]),
  );
  await forum.db.run(t.posts.insert({ id: 1, author_id: 1, title: 'x', created_at: 1, score: 7 }));
});
afterAll(() => forum[Symbol.asyncDispose]());

type Same<A, B> =
  (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => {};

test('its text is that of the plain query, whatever the values are', async () => {
  const { db, sent } = forum;
  const getPost = db.prepare('getPost', { id: t.posts.params.id }, (a) =>
    t.posts.get({ id: a.id }),
  );
  same<Parameters<typeof getPost>[0], { readonly id: bigint | number }>(true);
  same<Awaited<ReturnType<typeof getPost>>, Posts | null>(true);
  expect(await getPost({ id: 1 })).toMatchObject({ title: 'x', score: 7n });
  expect(sent.at(-1)).toBe(compile(t.posts.get({ id: 1 }).named('getPost')).body);
  expect(await getPost({ id: 2n })).toBeNull();

  const byHandle = db.prepare('byHandle', { handle: t.users.params.handle }, ({ handle }) =>
    t.users.by({ handle }),
  );
  for (const handle of ['ada', 'b"\\\n\u0000😀', '\u00010\u0001', '']) {
    await byHandle({ handle });
    expect(sent.at(-1)).toBe(compile(t.users.by({ handle }).named('byHandle')).body);
  }
  expect(await byHandle({ handle: 'b"\\\n\u0000😀' })).toMatchObject({ id: 2 });
});

test('a parameter that can be NULL has a text of its own for it', async () => {
  const { db, sent } = forum;
  const { bio, id } = t.users.params;
  const find = db.prepare('find', { bio, id }, (a) =>
    t.users.where((u) => u.bio.same(a.bio).and(u.id.gte(a.id))),
  );
  same<Parameters<typeof find>[0], { readonly bio: string | null; readonly id: bigint | number }>(
    true,
  );
  same<Awaited<ReturnType<typeof find>>, Users[]>(true);
  expect((await find({ bio: 'b', id: 1 })).map((row) => row.id)).toEqual([2]);
  expect((await find({ bio: null, id: 1 })).map((row) => row.id)).toEqual([1]);
  expect(sent.at(-1)?.match(/\{"type":"text"\}/g)).toHaveLength(2);
});

test('statements and programs are prepared too', async () => {
  const { db, sent } = forum;
  const { id, score, body } = t.posts.params;
  const raise = db.prepare('raise', { id, by: score, body }, (a) =>
    t.posts.update({ id: a.id }, (p) => ({ score: p.score.add(a.by), body: a.body })),
  );
  expect(await raise({ id: 1, by: 5, body: 'y' })).toMatchObject({ score: 12n, body: 'y' });
  expect(await raise({ id: 1, by: -5n, body: null })).toMatchObject({ score: 7n, body: null });
  expect(sent.at(-1)).toContain('"name":"raise"');
  const both = db.prepare('both', { id }, (a) =>
    program((p) => {
      const gone = p.do(t.posts.delete({ id: a.id }));
      p.ensure('there', gone.rows);
      return { gone, left: t.posts.count() };
    }),
  );
  expect(await outcomeOf(both({ id: 9 }))).toThrow();
  expect(await both({ id: 1 })).toMatchObject({ gone: { id: 1 }, left: 0 });
});

test('what a call lacks or may not have is refused, and nothing is sent', async () => {
  const { db, sent } = forum;
  const getPost = db.prepare('getPost', { id: t.posts.params.id }, (a) =>
    t.posts.get({ id: a.id }),
  );
  const count = sent.length;
  expect(await outcomeOf(getPost({} as never))).toThrow(/id is missing/);
  expect(await outcomeOf(getPost({ id: 2 ** 53 }))).toThrow(BuildError);
  // @ts-expect-error: a text is no key
  expect(await outcomeOf(getPost({ id: '1' }))).toThrow(BuildError);
  expect(sent).toHaveLength(count);
  expect(() =>
    db.prepare('many', { id: t.posts.params.id }, (a) => t.posts.getMany([{ id: a.id as never }])),
  ).toThrow(BuildError);
  expect(() => db.prepare('no name', {}, () => t.posts)).toThrow(BuildError);
});

test('a reader prepares what reads', async () => {
  const { id } = t.posts.params;
  const drop = forum.db.reader.prepare('drop', { id }, (a) => t.posts.delete({ id: a.id }));
  expect(await outcomeOf(drop({ id: 1 }))).toThrow(/a reader runs queries only/);
  const get = forum.db.reader.prepare('get', { id }, (a) => t.posts.get({ id: a.id }));
  expect(await get({ id: 77 })).toBeNull();
});

test('errors of a debugged client know where the prepared query was called', async () => {
  const refuse = forum.client({
    debug: true,
    fetch: async () => new Response('no', { status: 400 }),
  });
  const get = refuse.prepare('get', { id: t.posts.params.id }, (a) => t.posts.get({ id: a.id }));
  const error = await get({ id: 1 }).catch((caught) => caught);
  expect(error.callSite).toContain('builder-prepared.test');
});

test('a module whose queries are compiled already prepares none', () => {
  const none = createClient(
    { version: 1, hash: '', tables: [], compile, page: () => compile({}) },
    { url: 'http://127.0.0.1:1' },
  );
  expect(() => none.prepare('x', {}, () => t.posts)).toThrow(/compiled already/);
});
