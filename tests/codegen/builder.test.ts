/** The examples of queries: their inferred types are compiled, and their answers come from a server in memory. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  avg,
  BuildError,
  type Client,
  CursorError,
  compile,
  count,
  EnsureError,
  lit,
  type Page,
  program,
  type Runnable,
  recursive,
  rows,
  sum,
} from '../../clients/typescript/runtime/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { outcomeOf } from '../support/outcome.ts';
import {
  type Accounts,
  type Comments,
  type Counters,
  connect,
  type Posts,
  t,
  type Users,
} from './specimen/db.ts';
import { schema } from './specimen/schema.ts';

let database: TestDatabase;
let db: Client;

beforeAll(async () => {
  database = await openTestDatabase('direct', schema);
  db = connect({
    url: 'http://127.0.0.1:1',
    schema: 'off',
    fetch: async (url, { method, headers, body }) => {
      const { pathname, search } = new URL(url);
      const reply = await database.send(
        method,
        pathname + search,
        body,
        headers as Record<string, string>,
      );
      return new Response(reply.text === '' ? null : reply.text, {
        status: reply.status,
        headers: reply.headers,
      });
    },
  });
  const users = await db.run(
    t.users.insertMany([
      { id: 1, handle: 'ada' },
      { id: 2, handle: 'bob', bio: 'b' },
      { id: 3, handle: 'Cleo' },
    ]),
  );
  expect(users.map(({ id }) => id)).toEqual([1, 2, 3]);
  const posts = Array.from({ length: 7 }, (_, i) => ({
    id: i + 1,
    author_id: (i % 2) + 1,
    title: `post ${i}`,
    created_at: 100 - (i % 3),
    ...(i === 3 ? { score: 2n ** 53n + 1n } : { score: i }),
    ...(i % 2 === 0 && { body: 'text' }),
    rating: i === 6 ? null : i / 2,
  }));
  await db.run(t.posts.insertMany(posts));
  await db.run(
    t.comments.insertMany([
      { post_id: 1, author_id: 2, body: 'first' },
      { post_id: 1, body: 'nobody' },
      { post_id: 2, author_id: 1, body: 'second' },
    ]),
  );
  await db.run(
    t.accounts.insertMany([
      { id: 1n, balance: 100n },
      { id: 2n, balance: 5n },
    ]),
  );
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

type Same<A, B> =
  (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
type Flat<X> = X extends (infer Y)[]
  ? Flat<Y>[]
  : X extends object
    ? { [K in keyof X]: Flat<X[K]> }
    : X;
/** Compiles only where the result has exactly the type. */
const typed =
  <T>() =>
  async <X>(runnable: Runnable<X>, _: Same<Flat<X>, Flat<T>>): Promise<X> =>
    db.run(runnable);

describe('reads', () => {
  test('by unique key', async () => {
    expect(await typed<Users | null>()(t.users.by({ handle: 'ada' }), true)).toEqual({
      id: 1,
      handle: 'ada',
      bio: null,
    });
    expect(await db.run(t.users.get({ id: 9 }))).toBeNull();
  });

  test('filter, order, arithmetic', async () => {
    const query = t.posts
      .where((p) => p.author_id.eq(1).and(p.score.gte(3)))
      .orderBy((p) => p.score.desc())
      .limit(10)
      .select((p) => ({ id: p.id, title: p.title, next: p.score.add(1n) }));
    expect(await typed<{ id: number; title: string; next: bigint }[]>()(query, true)).toEqual([
      { id: 7, title: 'post 6', next: 7n },
      { id: 5, title: 'post 4', next: 5n },
    ]);
  });

  test('integers beyond 2^53 at depth', async () => {
    const query = t.users
      .where((u) => u.handle.eq('bob'))
      .select((u, r) => ({
        u: u.handle,
        posts: r.posts.select((p) => ({ score: p.score, of: r.posts.count() })),
      }));
    const [bob] = await db.run(query);
    expect(bob?.posts.map(({ score }) => score)).toEqual([1n, 2n ** 53n + 1n, 5n]);
    expect(bob?.posts[0]?.of).toBe(3);
  });

  test('a feed of nested rows', async () => {
    const query = t.posts
      .orderBy((p) => [p.created_at.desc(), p.id.desc()])
      .limit(2)
      .select((p, r) => ({
        ...p,
        author: r.author.select((u) => ({ handle: u.handle })),
        n: r.comments.count(),
        comments: r.comments
          .orderBy((c) => c.body.asc())
          .limit(3)
          .select((c, cr) => ({
            body: c.body,
            by: cr.author.select((u) => ({ handle: u.handle })),
          })),
      }));
    const rows = await typed<
      (Posts & {
        author: { handle: string };
        n: number;
        comments: { body: string; by: { handle: string } | null }[];
      })[]
    >()(query, true);
    expect(rows.map(({ id, author, n }) => [id, author.handle, n])).toEqual([
      [7, 'ada', 0],
      [4, 'bob', 0],
    ]);
    const first = await db.run(
      t.posts.get({ id: 1 }).select((_, r) => ({
        c: r.comments
          .orderBy((c) => c.body.asc())
          .select((c, cr) => ({ body: c.body, by: cr.author })),
      })),
    );
    expect(first?.c).toEqual([
      { body: 'first', by: { id: 2, handle: 'bob', bio: 'b' } },
      { body: 'nobody', by: null },
    ]);
  });

  test('joins, whose outer side can be NULL', async () => {
    const query = t.posts
      .leftJoin(t.comments, (p, c) => c.post_id.eq(p.id))
      .join(t.users, (p, _c, u) => u.id.eq(p.author_id))
      .where((p) => p.id.lte(2))
      .select((p, c, u) => ({ title: p.title, body: c.body, by: u.handle }));
    const rows = await typed<{ title: string; body: string | null; by: string }[]>()(query, true);
    expect(rows.map(({ title, by }) => `${title} ${by}`)).toEqual([
      'post 0 ada',
      'post 0 ada',
      'post 1 bob',
    ]);
  });

  test('groups, and tests of them', async () => {
    const query = t.posts
      .group(
        (p) => ({ author: p.author_id }),
        (p) => ({ n: count(), total: sum(p.score), mean: avg(p.rating) }),
      )
      .where((g) => g.n.gt(3));
    const rows = await typed<
      { author: number; n: number; total: bigint | null; mean: number | null }[]
    >()(query, true);
    expect(rows).toEqual([{ author: 1, n: 4, total: 12n, mean: 1 }]);
    expect(await db.run(t.posts.fold((p) => ({ n: count(), most: sum(p.id) })))).toEqual({
      n: 7,
      most: 28,
    });
  });

  test('several results, one of them a number', async () => {
    const all = await db.run({
      me: t.users.get({ id: 1 }),
      posts: t.posts.where((p) => p.author_id.eq(2)),
      total: t.posts.count(),
    });
    expect(all.me?.handle).toBe('ada');
    expect(all.posts).toHaveLength(3);
    expect(all.total).toBe(7);
    expect(await db.run(t.posts.count())).toBe(7);
  });

  test('recursion, sets, lists', async () => {
    const tree = recursive(
      t.comments
        .where((c) => c.parent_id.isNull())
        .select((c) => ({ id: c.id, depth: lit('int64', 0) })),
      (self) =>
        t.comments
          .join(self, (c, s) => c.parent_id.eq(s.id))
          .select((c, s) => ({ id: c.id, depth: s.depth.add(1) })),
    );
    const found = await typed<{ id: string; depth: number }[]>()(tree, true);
    expect(found.map(({ depth }) => depth)).toEqual([0, 0, 0]);
    expect(found[0]?.id).toMatch(/^[0-9a-f]{8}-/);
    const who = t.users
      .select((u) => ({ who: u.id }))
      .except(t.posts.select((p) => ({ who: p.author_id })));
    expect(await typed<{ who: number }[]>()(who, true)).toEqual([{ who: 3 }]);
    expect(
      (await db.run(t.users.getMany([{ id: 3 }, { id: 1 }, { id: 3 }]))).map(({ id }) => id),
    ).toEqual([1, 3]);
    for (const many of [1, 3, 17]) {
      const ids = Array.from({ length: many }, (_, i) => i + 1);
      expect(await db.run(t.posts.where((p) => p.id.in(ids)))).toHaveLength(Math.min(many, 7));
    }
    expect(await db.run(t.posts.where((p) => p.id.in([])))).toEqual([]);
  });

  test('texts', async () => {
    const query = t.users.where((u, r) =>
      u.handle.contains('ADA', { fold: true }).and(r.posts.exists()),
    );
    expect(await typed<Users[]>()(query, true)).toHaveLength(1);
    expect(await db.run(t.users.where((u) => u.handle.match('*o*')))).toHaveLength(2);
    expect(await db.run(t.users.where((u) => u.bio.same(null)))).toHaveLength(2);
    expect(
      await db.run(t.users.orderBy((u) => u.id).select((u) => ({ bio: u.bio.orElse('-') }))),
    ).toEqual([{ bio: '-' }, { bio: 'b' }, { bio: '-' }]);
  });
});

test('pages come once each, forward and back, whatever the order', async () => {
  const orders = [
    t.posts,
    t.posts.orderBy((p) => p.created_at.desc()),
    t.posts.orderBy((p) => [p.rating.desc(), p.created_at]),
    t.posts.orderBy((p) => p.rating).select((p) => ({ id: p.id, title: p.title })),
  ];
  for (const query of orders as unknown as (typeof t.posts)[]) {
    const whole = (await db.run(query)).map(({ id }) => id);
    for (const size of [1, 2, 3, 7, 8]) {
      const seen: number[] = [];
      let page: Page<{ id: number }> | undefined;
      const pages: number[][] = [];
      do {
        page = await db.page(query, { size, after: page?.next });
        pages.push(page.rows.map(({ id }) => id));
        seen.push(...page.rows.map(({ id }) => id));
      } while (page.next !== null);
      expect(seen).toEqual(whole);
      if (pages.length < 2) continue;
      const back = await db.page(query, { size, before: page.previous });
      expect(back.rows.map(({ id }) => id)).toEqual(pages.at(-2) as number[]);
    }
  }
  const { next } = await db.page(t.posts, { size: 2 });
  expect(await outcomeOf(db.page(t.users, { size: 2, after: next }))).toThrow(CursorError);
  expect(await outcomeOf(db.page(t.posts, { size: 2, after: 'x' }))).toThrow(CursorError);
});

describe('writes', () => {
  test('one row, its change, its end', async () => {
    const made = await typed<Posts>()(
      t.posts.insert({ author_id: 1, title: 'new', created_at: 5 }),
      true,
    );
    expect(made).toMatchObject({ title: 'new', body: null, score: 0n });
    const { id } = made;
    const changed = await typed<Posts | null>()(
      t.posts.update({ id }, (p) => ({ score: p.score.add(5n), body: 'x' })),
      true,
    );
    expect(changed).toMatchObject({ score: 5n, body: 'x' });
    expect(await db.run(t.posts.update({ id: 999 }, { title: 'no' }))).toBeNull();
    expect(
      await db.run(t.posts.deleteWhere((p, r) => r.comments.exists().not().and(p.id.eq(id)))),
    ).toHaveLength(1);
    expect(await db.run(t.posts.delete({ id }))).toBeNull();
  });

  test('a transfer: all or nothing', async () => {
    const transfer = (amount: bigint) =>
      program((p) => {
        const from = p.do(
          t.accounts.updateWhere(
            (a) => a.id.eq(1n).and(a.balance.gte(amount)),
            (a) => ({ balance: a.balance.sub(amount) }),
          ),
        );
        const to = p.do(
          t.accounts.updateWhere(
            (a) => a.id.eq(2n),
            (a) => ({ balance: a.balance.add(amount) }),
          ),
        );
        p.ensure('funds', from.rows);
        return { from, to };
      });
    const moved = await typed<{ from: Accounts[]; to: Accounts[] }>()(transfer(60n), true);
    expect([moved.from[0]?.balance, moved.to[0]?.balance]).toEqual([40n, 65n]);
    const refused = await db.run(transfer(60n)).catch((error) => error);
    expect(refused).toBeInstanceOf(EnsureError);
    expect((refused as EnsureError).guard).toBe('funds');
    expect((await db.run(t.accounts.get({ id: 2 })))?.balance).toBe(65n);
  });

  test('children of rows just made', async () => {
    const made = await typed<Comments[]>()(
      program((p) => {
        const c = p.do(t.comments.insertMany([{ post_id: 3, body: 'parent' }]));
        return p.do(
          t.comments.insertFrom(c.rows, (x) => ({
            post_id: x.post_id,
            parent_id: x.id,
            body: 'reply',
          })),
        );
      }),
      true,
    );
    expect(made).toHaveLength(1);
    expect(made[0]?.parent_id).toMatch(/-/);
  });

  test('counters, and rows that are there already', async () => {
    const hit = () =>
      t.counters.upsert([{ name: 'hits', n: 1n }], {
        set: (cur, inp) => ({ n: cur.n.add(inp.n) }),
      });
    expect(await typed<Counters[]>()(hit(), true)).toEqual([{ name: 'hits', n: 1n }]);
    expect(await db.run(hit())).toEqual([{ name: 'hits', n: 2n }]);
    expect(
      await db.run(
        t.counters.insertIgnore([
          { name: 'hits', n: 9 },
          { name: 'more', n: 9 },
        ]),
      ),
    ).toEqual([{ name: 'more', n: 9n }]);
    expect(await db.run(t.counters.upsert([{ name: 'more', n: 10 }]))).toEqual([
      { name: 'more', n: 10n },
    ]);
    expect(() =>
      t.counters.upsert([
        { name: 'a', n: 1 },
        { name: 'a', n: 2 },
      ]),
    ).toThrow(BuildError);
  });

  test('rows with other columns given', async () => {
    const made = await db.run(
      t.posts.insertMany([
        { author_id: 3, title: 'a', created_at: 1, score: 4 },
        { author_id: 3, title: 'b', created_at: 1 },
      ]),
    );
    expect(made.map(({ title, score }) => [title, score]).sort()).toEqual([
      ['a', 4n],
      ['b', 0n],
    ]);
    await db.run(t.posts.deleteWhere((p) => p.author_id.eq(3)));
  });
});

test('what cannot be is refused before it is sent', () => {
  const wrong: readonly (() => unknown)[] = [
    () => compile(t.posts.where((p) => p.score.eq(2 ** 53))),
    () => compile(t.posts.where((p) => p.rating.eq(Number.NaN))),
    () => compile(t.posts.where((p) => p.score.eq(null as never))),
    () => compile(t.posts.update({ id: 1 }, {})),
    () => compile(t.posts.get({ title: 'x' } as never)),
    () => compile(t.comments.get({ id: 'no uuid' })),
    () => t.posts.named('ensure_x'),
    () => t.posts.limit(-1),
    () => compile(t.posts.insert({ title: 'x' } as never)),
    () => compile(t.posts.insert({ nope: 1, author_id: 1, title: 'x', created_at: 1 } as never)),
    () => compile(t.users.union(t.posts as never)),
  ];
  for (const build of wrong) expect(build).toThrow(BuildError);
});

test('messages name the step that is wrong, and what to do', () => {
  const latest = t.posts.orderBy((p) => p.created_at.desc());
  const wrong: readonly (readonly [build: () => unknown, message: string])[] = [
    [() => t.users.by({} as never), 'nothing is no key of users: give id | handle'],
    [() => t.users.by({ bio: 'x' } as never), 'bio is no key of users: give id | handle'],
    [
      () => compile(t.posts.select((_, r) => ({ reply: r.comments.one() }))),
      'reply: one() holds for a whole result only: use first(), or ensure of a program',
    ],
    [
      () =>
        compile({
          me: t.users
            .get({ id: 1 })
            .one()
            .select((u) => ({ h: u.handle })),
        }),
      'me: one() holds',
    ],
    [
      () => compile(latest.limit(2).whereIn((p) => p.id, [1])),
      'whereIn does not keep the order of orderBy: put orderBy behind it',
    ],
    [
      () =>
        compile(
          latest
            .distinct()
            .where((p) => p.score.gt(1))
            .first(),
        ),
      'distinct does not keep',
    ],
    [() => compile(latest.shared()), 'shared does not keep'],
    [() => compile(t.posts.union(latest)), 'union does not keep'],
    [() => compile(latest.except(t.posts)), 'except does not keep'],
    [
      () =>
        compile(
          latest
            .join(t.users, (p, u) => u.id.eq(p.author_id))
            .select((p, u) => ({ p: p.id, u: u.id })),
        ),
      'join does not keep',
    ],
    [
      () => compile(t.posts.join(t.users, (p, u) => u.id.eq(p.author_id)).limit(1)),
      'both sides of the join have a column of one name: use select',
    ],
    [() => compile(program((p) => ({ latest: p.query(latest) }))), 'query(…).rows does not keep'],
  ];
  for (const [build, message] of wrong) expect(build).toThrow(message);
  // Where the schema promises the row, or no order is seen, there is nothing to refuse.
  compile(t.posts.select((_, r) => ({ by: r.author, n: r.comments.fold(() => ({ n: count() })) })));
  compile({ n: latest.distinct().count(), any: latest.shared().exists() });
  compile(latest.shared().orderBy((p) => p.id));
});

test('a change of one row has no key of another one', async () => {
  const body = { id: 2, bio: 'mine' };
  const wrong: readonly (() => unknown)[] = [
    () => compile(t.users.update({ id: 1 }, body)),
    () => compile(t.users.update({ id: 1 }, () => body as never)),
    () => compile(t.users.updateWhere((u) => u.id.eq(1), body)),
    () =>
      compile(
        t.users.upsert([{ id: 1, handle: 'ada' }], { set: () => ({ id: 2 }) as never } as never),
      ),
  ];
  for (const build of wrong)
    expect(build).toThrow('users.id is of the key, which cannot be changed');
});

test('integers are given as they are at hand', async () => {
  const ids = async (query: Runnable<readonly { readonly id: unknown }[]>) =>
    (await db.run(query)).map(({ id }) => Number(id));
  expect(await ids(t.users.whereIn((u) => u.id, [1, 2]))).toEqual([1, 2]);
  expect(await ids(t.users.whereIn((u) => u.id, [1n, 2]))).toEqual([1, 2]);
  expect(await ids(t.posts.whereIn((p) => p.score, [-1, -1n]))).toEqual([]);
  const given = rows({ a: 'int64', b: 'text' }, [
    { a: 1, b: 'x' },
    { a: 2n ** 60n, b: 'y' },
  ]);
  const sorted: { a: bigint; b: string }[] = await db.run(given.orderBy((r) => r.b));
  expect(sorted.map(({ a }) => a)).toEqual([1n, 2n ** 60n]);
});

test('a time that is none is refused', async () => {
  for (const everyMs of [0, -1, Number.NaN])
    expect(() => db.watch(t.users, { everyMs })).toThrow(BuildError);
  for (const timeoutMs of [0, -1, Number.NaN])
    expect(await outcomeOf(db.run(t.users, { timeoutMs }))).toThrow(BuildError);
});

test('nested rows that are passed on come as they would have', async () => {
  const posts = t.posts.where((p) => p.id.eq(1));
  const once = posts.select((p, r) => ({
    id: p.id,
    comments: r.comments.orderBy((c) => c.id),
    first: r.comments.orderBy((c) => c.id).first(),
    author: r.author,
    none: r.comments.where((c) => c.body.eq('nobody says that')).first(),
  }));
  const again = once
    .select((x) => ({ again: x.comments, f: x.first, a: x.author, n: x.none }))
    .select((x) => ({ again: x.again, f: x.f, a: x.a, n: x.n }));
  const [plain] = await db.run(once);
  const [passed] = await db.run(again);
  expect(plain?.comments.length).toBeGreaterThan(0);
  expect(passed).toEqual({
    again: plain?.comments,
    f: plain?.first,
    a: plain?.author,
    n: null,
  } as never);
  const ids = await db.run(
    t.users
      .select((u, r) => ({ id: u.id, of: r.posts.select((p) => ({ score: p.score })) }))
      .orderBy((u) => u.id)
      .select((u) => ({ of: u.of })),
  );
  expect(ids.flatMap(({ of }) => of).every(({ score }) => typeof score === 'bigint')).toBe(true);
});

test('an upsert finds rows by a key, and sets what is given', () => {
  const rows = [{ id: 1, handle: 'ada', bio: 'x' }];
  const wrong: readonly (readonly [build: () => unknown, message: string])[] = [
    [() => t.users.upsert(rows, { on: ['bio'] }), 'bio is no key of users: give id | handle'],
    [() => t.users.upsert(rows, { on: [] }), 'nothing is no key of users'],
    [() => t.users.upsert(rows, { on: ['id', 'handle'] }), 'id, handle is no key of users'],
    [() => t.users.insertIgnore(rows, ['bio']), 'bio is no key of users'],
    [() => t.users.upsert(rows, { set: ['bia' as never] }), 'bia is not given, or of a key'],
    [() => t.users.upsert(rows, { set: ['id' as never] }), 'id is not given, or of a key'],
    [() => t.users.upsert([{ ...rows[0], admin: 1 } as never]), 'users has no column "admin"'],
    [
      () => t.users.insertIgnore([...rows, { handle: 'bob' }], ['handle']),
      'users.id has a default, and is given for some rows only',
    ],
  ];
  for (const [build, message] of wrong) expect(build).toThrow(message);
  const moved = t.users.upsert(rows, { on: ['handle'], set: () => ({ handle: 'eve' }) });
  expect(() => compile(moved)).toThrow('users.handle is of the key, which cannot be changed');
});

test('statements have what objects were when they were made', () => {
  const [key, set] = [{ id: 1 }, { bio: 'first' }];
  const made = [t.users.update(key, set), t.users.delete(key), t.users.get(key)];
  const before = made.map((one) => compile(one).body);
  Object.assign(key, { id: 2 });
  Object.assign(set, { bio: 'second' });
  expect(made.map((one) => compile(one).body)).toEqual(before);
});

test('values of a prepared operation are its own, and all there', async () => {
  let kept: unknown;
  db.prepare('one', { id: t.users.params.id }, ({ id }) => {
    kept = id;
    return t.users.get({ id });
  });
  const stray = 'a value of a prepared operation stands in another one';
  const handle = t.users.params.handle;
  expect(() => db.prepare('two', { handle }, () => t.users.get({ id: kept as never }))).toThrow(
    stray,
  );
  expect(() => compile(t.users.get({ id: kept as never }))).toThrow(stray);
  const write = db.prepare(
    'write',
    { id: t.users.params.id, bio: t.users.params.bio },
    ({ id, bio }) => t.users.update({ id }, { bio }),
  );
  expect(await outcomeOf(write({ id: 1 } as never))).toThrow('bio is missing');
  expect(await outcomeOf(write({ bio: null } as never))).toThrow(
    'id is missing, and takes no NULL',
  );
});

test('a row that a test leaves out is none', async () => {
  const found = t.posts
    .where((p) => p.id.eq(1))
    .select((_, r) => ({ by: r.author.where((a) => a.id.eq(-1)) }));
  const rows: { by: Users | null }[] = await db.run(found);
  expect(rows).toEqual([{ by: null }]);
});

test('values of rows of earlier statements', async () => {
  const found = await db.run(
    program((p) => {
      const ada = p.query(t.users.where((u) => u.handle.eq('ada')));
      const changed = p.do(t.users.updateWhere((u) => u.handle.eq('bob'), { bio: 'changed' }));
      p.ensure('there', ada.rows.value((u) => u.id).eq(1));
      const posts = t.posts
        .where((x) => x.author_id.eq(ada.rows.value((u) => u.id).orElse(0)))
        .select((x) => ({ id: x.id, by: ada.rows.value((u) => u.handle) }));
      return {
        bio: changed.rows.value((u) => u.bio),
        first: posts.orderBy((x) => x.id).first(),
        n: t.posts.where((x) => x.author_id.eq(changed.rows.value((u) => u.id).orElse(0))).count(),
      };
    }),
  );
  expect(found).toMatchObject({ bio: 'changed', first: { by: 'ada' }, n: expect.any(Number) });
  await db.run(t.users.update({ id: 2 }, { bio: 'b' }));
});

test('a statement stands in a program once', () => {
  const raise = t.users.update({ id: 1 }, { bio: 'x' });
  expect(() => program((p) => ({ a: p.do(raise), b: p.do(raise) }))).toThrow(
    'a statement stands in a program once',
  );
});

test('lists are lists', () => {
  for (const values of ['ab', [1, 2].values()])
    expect(() => compile(t.users.where((u) => u.id.in(values as never)))).toThrow(
      'in wants a list',
    );
  compile(t.users.where((u) => u.id.in(new Set([1, 2]))));
});

test('texts are Unicode', () => {
  for (const handle of ['a\ud800', '\udc00b'])
    expect(() => compile(t.users.insert({ handle }))).toThrow(
      'handle: a text without lone surrogates is wanted',
    );
  compile(t.users.insert({ handle: '\ud83d\ude00' }));
});

test('a page in the order of a calculation with integers', async () => {
  const { rows } = await db.page(
    t.posts.orderBy((p) => p.score.add(1n).desc()),
    { size: 2 },
  );
  expect(rows.length).toBe(2);
});

test('a column of rows of another query is refused, wherever they were kept', () => {
  const kept: { user?: { handle: never; id: never }; group?: { n: never }; q?: unknown } = {};
  compile(
    t.users.select((u) => {
      kept.user = u as never;
      const mine = t.posts.where((p) => p.author_id.eq(u.id));
      kept.q = mine;
      return { id: u.id, mine, best: mine.value((p) => p.score) };
    }),
  );
  compile(
    t.posts
      .group(
        () => ({}),
        () => ({ n: count() }),
      )
      .where((g) => {
        kept.group = g as never;
        return g.n.gt(1);
      }),
  );
  const { id } = kept.user as unknown as { id: never };
  const wrong: readonly (() => unknown)[] = [
    // Of the same table, too: each row would equal itself.
    () => compile(t.users.where((u) => u.id.eq(id))),
    () => compile(t.users.deleteWhere((u) => u.id.eq(id))),
    () => compile(t.users.delete({ id })),
    () => compile(t.users.update({ id }, { bio: 'x' })),
    () => compile(t.users.select((u) => ({ same: t.users.where((v) => v.id.eq(id)), id: u.id }))),
    () => compile(t.posts.where((p) => p.title.eq((kept.user as { handle: never }).handle))),
    () => compile(t.posts.where((p) => p.id.eq((kept.user as { id: never }).id)).exists()),
    () => compile(kept.q),
    () =>
      compile(
        t.accounts.updateWhere((a) => a.id.eq((kept.user as { id: never }).id), { balance: 0 }),
      ),
    () => compile(t.accounts.where((a) => a.id.gt((kept.group as { n: never }).n)).limit(1)),
    () =>
      compile(
        t.posts
          .group(
            () => ({}),
            () => ({ n: count() }),
          )
          .where((g) => g.n.gt((kept.group as { n: never }).n)),
      ),
  ];
  for (const build of wrong) expect(build).toThrow('a column of rows that are not at hand here');
});
