/** Types that are inferred: compiled, never run. Each `is<T>()(x, true)` compiles only where `x` gives exactly T. */

import {
  avg,
  type Client,
  count,
  lit,
  max,
  min,
  type Page,
  program,
  type Runnable,
  recursive,
  rows,
  sum,
  when,
} from '../../../clients/typescript/runtime/index.ts';
import {
  type Accounts,
  type Comments,
  type Counters,
  type Posts,
  t,
  type Users,
} from '../specimen/db.ts';

type Same<A, B> =
  (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
type Flat<X> = X extends bigint | number | string | boolean | null | Uint8Array
  ? X
  : X extends (infer Y)[]
    ? Flat<Y>[]
    : X extends object
      ? { [K in keyof X]: Flat<X[K]> }
      : X;
type Out<X> = X extends Runnable<infer T> ? T : never;
const is =
  <T>() =>
  <X>(_: X, __: Same<Flat<Out<X>>, Flat<T>>): void => {};
const holds =
  <T>() =>
  <X>(_: X, __: Same<X, T>): void => {};

function expressions(): void {
  t.posts
    .leftJoin(t.comments, (p, c) => {
      is<number>()(p.id, true);
      is<number>()(c.post_id, true);
      return p.id.eq(c.post_id);
    })
    .select((p, c) => {
      is<number | null>()(c.post_id, true);
      is<string | null>()(c.id, true);
      is<string | null>()(c.body, true);
      is<string | null>()(c.body.orElse(c.body), true);
      is<string>()(c.body.orElse(''), true);
      return { t: p.title };
    });
  t.posts.where((p, r) => {
    is<number>()(p.id, true);
    is<bigint>()(p.score, true);
    is<number | null>()(p.rating, true);
    is<string | null>()(p.body, true);
    is<bigint>()(p.score.add(1), true);
    is<bigint>()(p.score.add(1n), true);
    is<bigint>()(p.score.sub(p.score), true);
    is<bigint>()(p.score.mul(2), true);
    is<bigint>()(p.score.div(2), true);
    is<bigint>()(p.score.neg(), true);
    is<number>()(p.id.add(1), true);
    is<number>()(p.id.add(1n), true);
    is<number | bigint>()(p.id.add(p.score), true);
    is<number | null>()(p.rating.add(1), true);
    is<number | null>()(p.rating.add(p.rating), true);
    is<number | null>()(p.rating.neg(), true);
    is<bigint | null>()(p.rating.int(), true);
    is<number>()(p.score.float(), true);
    is<number>()(p.score.asNumber(), true);
    is<bigint>()(p.id.asBigint(), true);
    is<number>()(p.rating.orElse(0), true);
    is<number | null>()(p.rating.orElse(p.rating), true);
    is<string>()(p.body.orElse('-'), true);
    is<string>()(p.body.orElse(p.title), true);
    is<bigint>()(p.score.orElse(0), true);
    is<boolean>()(p.id.eq(1), true);
    is<boolean>()(p.id.ne(1n), true);
    is<boolean>()(p.score.lt(1), true);
    is<boolean>()(p.score.lte(p.id), true);
    is<boolean>()(p.score.gt(1), true);
    is<boolean>()(p.score.gte(p.score), true);
    is<boolean | null>()(p.rating.eq(1), true);
    is<boolean | null>()(p.body.eq('x'), true);
    is<boolean | null>()(p.title.eq(p.body), true);
    is<boolean | null>()(p.body.eq(p.title), true);
    is<boolean>()(p.title.eq(p.title), true);
    is<boolean>()(p.body.same('x'), true);
    is<boolean>()(p.body.same(null), true);
    is<boolean>()(p.body.same(p.title), true);
    is<boolean>()(p.body.isNull(), true);
    is<boolean>()(p.body.isNotNull(), true);
    is<boolean>()(p.id.in([1, 2n]), true);
    is<boolean>()(p.rating.in([1]), true);
    is<boolean | null>()(p.id.between(1, 2), true);
    is<boolean>()(p.title.match('*x'), true);
    is<boolean | null>()(p.body.match('*x'), true);
    is<boolean>()(p.title.startsWith('x'), true);
    is<boolean>()(p.title.endsWith('x'), true);
    is<boolean>()(p.title.contains('x', { fold: true }), true);
    is<boolean | null>()(p.body.contains('x'), true);
    is<boolean>()(p.id.eq(1).and(p.id.eq(2)), true);
    is<boolean | null>()(p.id.eq(1).and(p.rating.eq(2)), true);
    is<boolean>()(p.id.eq(1).or(p.id.eq(2)), true);
    is<boolean | null>()(p.rating.eq(1).not(), true);
    is<boolean>()(p.rating.eq(1).orElse(false), true);
    is<number>()(when(p.id.eq(1), p.id).else(p.id), true);
    is<string | null>()(when(p.id.eq(1), p.title).else(p.body), true);
    is<number>()(lit('int64', 1), true);
    is<bigint>()(lit('int64', 1n), true);
    is<string>()(lit('text', 'x'), true);
    is<number>()(lit('float64', 1), true);
    is<boolean>()(lit('bool', true), true);
    is<Uint8Array>()(lit('bytes', new Uint8Array()), true);
    is<string | null>()(lit('text', null), true);
    is<bigint | null>()(lit('int64', null), true);
    is<number>()(r.comments.count(), true);
    is<boolean>()(r.comments.exists(), true);
    is<string | null>()(
      r.author.value((u) => u.handle),
      true,
    );
    is<string | null>()(
      r.comments.value((c) => c.id),
      true,
    );
    is<number>()(r.comments.count().add(1), true);
    is<Users>()(r.author, true);
    is<Comments[]>()(r.comments, true);
    is<Comments | null>()(r.comments.first(), true);
    is<Comments>()(r.comments.one(), true);
    is<{ h: string }>()(
      r.author.select((u) => ({ h: u.handle })),
      true,
    );
    is<{ b: string }[]>()(
      r.comments.select((c) => ({ b: c.body })),
      true,
    );
    is<{ b: string } | null>()(
      r.comments.first().select((c) => ({ b: c.body })),
      true,
    );
    return p.id.eq(1);
  });
}

function queries(): void {
  is<Users[]>()(t.users, true);
  is<Users | null>()(t.users.get({ id: 1 }), true);
  is<Users | null>()(t.users.by({ handle: 'x' }), true);
  is<Users | null>()(t.users.by({ id: 1n }), true);
  is<Comments | null>()(t.comments.get({ id: 'x' }), true);
  is<Users[]>()(t.users.getMany([{ id: 1 }]), true);
  is<Posts[]>()(
    t.posts.where((p) => p.id.eq(1)),
    true,
  );
  is<Posts[]>()(
    t.posts.whereIn((p) => p.id, [1]),
    true,
  );
  is<Posts[]>()(
    t.posts.orderBy((p) => p.id),
    true,
  );
  is<Posts[]>()(
    t.posts
      .orderBy((p) => [p.id.desc(), p.title])
      .limit(1)
      .offset(2),
    true,
  );
  is<Posts | null>()(t.posts.first(), true);
  is<Posts>()(t.posts.one(), true);
  is<number>()(t.posts.count(), true);
  is<boolean>()(t.posts.exists(), true);
  is<string | null>()(
    t.posts.value((p) => p.title),
    true,
  );
  is<bigint | null>()(
    t.posts.value((p) => p.score),
    true,
  );
  is<Posts[]>()(t.posts.shared(), true);
  is<Posts[]>()(t.posts.named('x'), true);
  is<Posts[]>()(t.posts.distinct(), true);
  is<Posts[]>()(t.posts.union(t.posts), true);
  is<Posts[]>()(t.posts.intersect(t.posts, true), true);
  is<Posts[]>()(t.posts.except(t.posts.where((p) => p.id.eq(1))), true);
  is<{ a: number; b: string | null }[]>()(
    t.posts.select((p) => ({ a: p.id, b: p.body })),
    true,
  );
  is<(Posts & { n: number })[]>()(
    t.posts.select((p, r) => ({ ...p, n: r.comments.count() })),
    true,
  );
  is<{ n: number } | null>()(
    t.posts.get({ id: 1 }).select((p) => ({ n: p.id })),
    true,
  );
  is<{ b: number }[]>()(
    t.posts.select((p) => ({ a: p.id })).select((r) => ({ b: r.a.add(1) })),
    true,
  );
  is<{ h: string; t: string }[]>()(
    t.users
      .join(t.posts, (u, p) => u.id.eq(p.author_id))
      .select((u, p) => ({ h: u.handle, t: p.title })),
    true,
  );
  is<{ h: string; t: string | null; n: bigint | null }[]>()(
    t.users
      .leftJoin(t.posts, (u, p) => u.id.eq(p.author_id))
      .select((u, p) => ({ h: u.handle, t: p.title, n: p.score })),
    true,
  );
  is<
    {
      a: number;
      n: number;
      s: bigint | null;
      m: number | null;
      lo: string | null;
      hi: number | null;
    }[]
  >()(
    t.posts.group(
      (p) => ({ a: p.author_id }),
      (p) => ({
        n: count(),
        s: sum(p.score),
        m: avg(p.score),
        lo: min(p.title),
        hi: max(p.rating),
      }),
    ),
    true,
  );
  is<{ a: number }[]>()(
    t.posts.group((p) => ({ a: p.author_id })),
    true,
  );
  is<{ n: number; s: bigint | null }>()(
    t.posts.fold((p) => ({ n: count(), s: sum(p.score) })),
    true,
  );
  is<{ m: number }>()(
    t.posts.fold(() => ({ n: count() })).select((r) => ({ m: r.n.add(1) })),
    true,
  );
  is<{ n: bigint; s: string }[]>()(rows({ n: 'int64', s: 'text' }, [{ n: 1n, s: 'x' }]), true);
  is<{ id: string; depth: number }[]>()(
    recursive(
      t.comments.select((c) => ({ id: c.id, depth: lit('int64', 0) })),
      (self) =>
        t.comments
          .join(self, (c, s) => c.parent_id.eq(s.id))
          .select((c, s) => ({ id: c.id, depth: s.depth.add(1) })),
    ),
    true,
  );
}

function writes(): void {
  is<Users>()(t.users.insert({ handle: 'x' }), true);
  is<Users>()(t.users.insert({ id: 1n, handle: 'x', bio: null }), true);
  is<Users[]>()(t.users.insertMany([{ handle: 'x' }]), true);
  is<Posts | null>()(t.posts.update({ id: 1 }, { title: 'x' }), true);
  is<Posts | null>()(
    t.posts.update({ id: 1 }, (p) => ({ body: p.title, score: p.score.add(1) })),
    true,
  );
  is<Posts[]>()(
    t.posts.updateWhere((p) => p.id.eq(1), { body: null }),
    true,
  );
  is<Posts | null>()(t.posts.delete({ id: 1 }), true);
  is<Posts[]>()(
    t.posts.deleteWhere((p) => p.id.eq(1)),
    true,
  );
  is<Counters[]>()(t.counters.upsert([{ name: 'x', n: 1 }]), true);
  is<Counters[]>()(
    t.counters.upsert([{ name: 'x', n: 1 }], { set: (c, g) => ({ n: c.n.add(g.n) }) }),
    true,
  );
  is<Counters[]>()(t.counters.upsert([{ name: 'x', n: 1 }], { on: ['name'], set: ['n'] }), true);
  is<Counters[]>()(t.counters.insertIgnore([{ name: 'x', n: 1 }]), true);
  is<Counters[]>()(
    t.counters.insertFrom(t.users, (u) => ({ name: u.handle, n: u.id })),
    true,
  );
  is<Posts[]>()(
    t.posts.updateFrom(t.posts, (p) => ({ id: p.id, title: p.title })),
    true,
  );
  is<Posts[]>()(t.posts.insert({ author_id: 1, title: 'x', created_at: 1 }).rows, true);
  is<Accounts[]>()(
    program((p) => p.do(t.accounts.deleteWhere((a) => a.id.eq(1)))),
    true,
  );
  is<Accounts>()(
    program((p) => p.do(t.accounts.deleteWhere((a) => a.id.eq(1))).rows.one()),
    true,
  );
  is<Accounts | null>()(
    program((p) => p.do(t.accounts.delete({ id: 1 }))),
    true,
  );
  is<{ a: Accounts | null; n: number }>()(
    program((p) => ({ a: p.do(t.accounts.delete({ id: 1 })), n: t.accounts.count() })),
    true,
  );
  is<Posts[]>()(
    program((p) => p.query(t.posts)),
    true,
  );
  is<{ id: number }[]>()(
    program((p) => p.query(t.posts.select((q) => ({ id: q.id }))).rows),
    true,
  );
}

async function clients(db: Client): Promise<void> {
  holds<Users[]>()(await db.run(t.users), true);
  holds<Users | null>()(await db.run(t.users.get({ id: 1 })), true);
  holds<number>()(await db.run(t.users.count()), true);
  holds<{ a: Users[]; n: number }>()(await db.run({ a: t.users, n: t.users.count() }), true);
  holds<Page<Users>>()(await db.page(t.users, { size: 1 }), true);
  holds<AsyncIterableIterator<Users[]>>()(db.pages(t.users, 1), true);
  holds<Users[]>()((await db.analyze(t.users)).result, true);
  holds<void>()(await db.check(t.users), true);
  holds<Users[]>()(await db.reader.run(t.users), true);
  const get = db.prepare('x', { id: t.users.params.id }, (a) => t.users.get({ id: a.id }));
  holds<Users | null>()(await get({ id: 1 }), true);
  holds<{ readonly id: number | bigint }>()(null as never as Parameters<typeof get>[0], true);
  const { bio, handle } = t.users.params;
  const set = db.prepare('x', { bio, handle }, (a) =>
    t.users.update({ id: 1 }, { bio: a.bio, handle: a.handle }),
  );
  holds<{ readonly bio: string | null; readonly handle: string }>()(
    null as never as Parameters<typeof set>[0],
    true,
  );
  const kept = await db.cached(t.users.select((u) => ({ id: u.id })));
  holds<readonly { readonly id: number }[]>()(kept, true);
}

void [expressions, queries, writes, clients];
