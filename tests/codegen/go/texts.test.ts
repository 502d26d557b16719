/** The texts of queries built in Go, beside those of the TypeScript builder: byte for byte the same. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  avg,
  compile,
  count,
  type Int,
  lit,
  max,
  pageOf,
  prepare,
  program,
  type Runnable,
  recursive,
  sum,
  type Text,
  when,
} from '../../../clients/typescript/runtime/index.ts';
import { t } from '../specimen/db.ts';
import { type GoModule, go, goModule } from './support.ts';

const orders = [
  t.posts,
  t.posts.orderBy((p) => p.created_at.desc()),
  t.posts.orderBy((p) => [p.rating.desc(), p.created_at]),
  t.posts.orderBy((p) => p.rating),
];

/** Cursors behind and in front of rows, with values and NULL; of the order with that position. */
function cursors(at: number): readonly string[] {
  const query = orders[at] as (typeof orders)[number];
  const rows = [
    [{ $k0: 3 }, { $k0: 2 ** 53 - 1 }],
    [
      { $k0: 5, $k1: 3 },
      { $k0: 6, $k1: 4 },
    ],
    [
      { $k0: 0.5, $k1: 7, $k2: 3 },
      { $k0: null, $k1: 8, $k2: 4 },
    ],
    [
      { $k0: 1e21, $k1: 3 },
      { $k0: null, $k1: 4 },
    ],
  ][at] as readonly object[];
  const row = { id: 1, author_id: 1, title: '', body: null, score: 0, rating: null, created_at: 1 };
  return rows.flatMap((keys) => {
    const { decode } = pageOf(query, { size: 1 });
    const { next } = decode([
      { ...row, ...keys },
      { ...row, ...keys },
    ]) as { next: string };
    return [next, next];
  });
}

function texts(): Map<string, string> {
  const all = new Map<string, string>();
  const show = (name: string, query: unknown) =>
    all.set(name, compile(query as Runnable<unknown>).body);
  const p = t.posts;
  const u = t.users;

  show('scan', p);
  show('by', u.by({ handle: 'ada' }));
  show('get', u.get({ id: 9 }));
  show(
    'filter',
    p
      .where((p) => p.author_id.eq(1).and(p.score.gte(3)))
      .orderBy((p) => p.score.desc())
      .limit(10)
      .select((p) => ({ id: p.id, title: p.title, next: p.score.add(1) })),
  );
  show(
    'texts',
    p.where((p) => p.title.eq('q"uo\\te\n\0\u2028é😀</a>&')),
  );
  show(
    'floats',
    p.where((p) =>
      p.rating
        .eq(1e21)
        .or(p.rating.eq(1e-7))
        .or(p.rating.eq(0.1))
        .or(p.rating.eq(-1.5e300))
        .or(p.rating.gt(123456789012345680000)),
    ),
  );
  show(
    'minus zero',
    p.where((p) => p.rating.eq(-0)),
  );
  show(
    'integers',
    p.where((p) => p.score.eq(-(2n ** 63n))),
  );
  show(
    'feed',
    p
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
      })),
  );
  show(
    'joins',
    p
      .leftJoin(t.comments, (p, c) => c.post_id.eq(p.id))
      .join(u, (p, _c, u) => u.id.eq(p.author_id))
      .where((p) => p.id.lte(2))
      .select((p, c, u) => ({ title: p.title, body: c.body, by: u.handle })),
  );
  const groups = p.group(
    (p) => ({ author: p.author_id }),
    (p) => ({ n: count(), total: sum(p.score), mean: avg(p.rating) }),
  );
  show('groups', groups);
  show(
    'having',
    groups.where((g) => g.n.gt(3)),
  );
  show(
    'fold',
    p.fold((p) => ({ n: count(), most: max(p.score) })),
  );
  show('several', {
    me: u.get({ id: 1 }),
    posts: p.where((p) => p.author_id.eq(2)),
    total: p.count(),
  });
  show('count', p.count());
  show(
    'recursion',
    recursive(
      t.comments
        .where((c) => c.parent_id.isNull())
        .select((c) => ({ id: c.id, depth: lit('int64', 0) })),
      (self) =>
        t.comments
          .join(self, (c, s) => c.parent_id.eq(s.id))
          .select((c, s) => ({ id: c.id, depth: s.depth.add(1) })),
    ),
  );
  const users = u.select((u) => ({ who: u.id }));
  const posts = p.select((p) => ({ who: p.author_id }));
  show('except', users.except(posts));
  show('intersect all', users.intersect(posts, true));
  show('union', users.union(posts).limit(3));
  show(
    'union filtered',
    users.union(posts).where((one) => one.who.gt(2)),
  );
  show('distinct', posts.distinct());
  show(
    'distinct rows',
    p.distinct().where((p) => p.score.gt(1)),
  );
  show('many', u.getMany([{ id: 3 }, { id: 1 }, { id: 3 }]));
  for (const many of [0, 1, 2, 3, 5, 16, 17]) {
    const ids = Array.from({ length: many }, (_, i) => i + 1);
    show(
      `in ${many}`,
      p.where((p) => p.id.in(ids)),
    );
    show(
      `nullable in ${many}`,
      u.where((u) => u.bio.in(ids.map((id) => String(id - 1)))),
    );
  }
  show(
    'where in',
    p.whereIn((p) => p.title, ['a', 'b', 'c']),
  );
  show(
    'contains',
    u.where((u, r) => u.handle.contains('ADA', { fold: true }).and(r.posts.exists())),
  );
  show(
    'match',
    u.where((u) =>
      u.handle
        .match('*o*')
        .or(u.handle.startsWith(''))
        .or(u.handle.endsWith('x'))
        .or(u.handle.match('')),
    ),
  );
  show(
    'same',
    u.where((u) => u.bio.same('x')),
  );
  show(
    'same column',
    u.where((u) => u.handle.same(u.bio)),
  );
  show(
    'values',
    u
      .orderBy((u) => u.id)
      .select((u) => ({
        a: u.bio.orElse('-'),
        b: u.bio.isNull(),
        c: p.value(() => lit('float64', 0.5)),
        d: when(u.id.gt(1), u.bio).else(lit('text', null)),
      })),
  );
  show('slices', p.offset(2).limit(3));
  show('named', p.where((p) => p.id.gt(1)).named('feed'));
  const shared = posts.shared();
  show('shared', shared.union(shared));
  const popular = p.where((p) => p.score.gt(3)).shared();
  show(
    'shared twice',
    popular
      .join(popular, (a, b) => a.score.eq(b.score).and(a.id.lt(b.id)))
      .select((a) => ({ who: a.id })),
  );
  show('first', p.where((p) => p.score.gt(1)).first());
  show('only', p.where((p) => p.score.gt(1)).one());
  show(
    'not',
    p.where((_, r) => r.comments.exists().not()),
  );
  show(
    'arithmetic',
    p.select((p) => ({
      a: p.score.float().mul(lit('float64', 1.5)).neg(),
      b: p.score.sub(1).mul(2).div(p.id),
    })),
  );

  show('insert', p.insert({ author_id: 1, title: 'new', created_at: 5 }));
  show(
    'insert all',
    p.insert({
      ...{ id: 7, author_id: 1, title: 'new', body: 'b' },
      ...{ score: 2, rating: 0.5, created_at: 5 },
    }),
  );
  show(
    'insert many',
    p.insertMany([
      { author_id: 3, title: 'a', created_at: 1, score: 4 },
      { author_id: 3, title: 'b', created_at: 1 },
    ]),
  );
  show('insert none', u.insertMany([]));
  show(
    'update',
    p.update({ id: 1 }, (p) => ({ score: p.score.add(5), body: null })),
  );
  show('update value', p.update({ id: 1 }, { title: 'x' }));
  show(
    'update where',
    p.updateWhere(
      (p) => p.id.eq(1),
      (p) => ({ score: p.score.sub(60) }),
    ),
  );
  show('delete', p.delete({ id: 4 }));
  show(
    'delete where',
    p.deleteWhere((p, r) => r.comments.exists().not().and(p.id.eq(4))),
  );
  show(
    'upsert',
    t.counters.upsert([{ name: 'hits', n: 1n }], {
      set: (current, input) => ({ n: current.n.add(input.n) }),
    }),
  );
  show(
    'upsert plain',
    t.counters.upsert([
      { name: 'more', n: 10 },
      { name: 'other', n: 11 },
    ]),
  );
  show('upsert on', u.upsert([{ handle: 'ada', bio: 'b' }], { on: ['handle'] }));
  show('insert ignore', t.counters.insertIgnore([{ name: 'hits', n: 9 }]));

  const a = t.accounts;
  show(
    'transfer',
    program((p) => {
      const from = p.do(
        a.updateWhere(
          (a) => a.id.eq(1).and(a.balance.gte(60)),
          (a) => ({ balance: a.balance.sub(60) }),
        ),
      );
      const to = p.do(
        a.updateWhere(
          (a) => a.id.eq(2),
          (a) => ({ balance: a.balance.add(60) }),
        ),
      );
      p.ensure('funds', from.rows);
      return { from, to };
    }),
  );
  show(
    'children',
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
  );
  show(
    'singles',
    program((p) => ({
      one: p.do(u.insert({ handle: 'zed' })),
      gone: p.do(t.posts.delete({ id: 3 })),
    })),
  );
  show(
    'count behind',
    program((pr) => {
      pr.do(p.delete({ id: 3 }));
      pr.ensure('none', p.exists().not());
      return p.count();
    }),
  );
  const find = prepare('find', { id: p.params.id }, ({ id }: { id: Int }) => p.get({ id }));
  all.set('prepared', find({ id: 7 }).body);
  const bio = prepare('bio', { bio: u.params.bio }, ({ bio }: { bio: Text<string | null> }) =>
    u.where((u) => u.bio.same(bio)),
  );
  all.set('prepared null', bio({ bio: null }).body);
  const rename = prepare(
    'rename',
    { id: p.params.id, title: p.params.title },
    ({ id, title }: { id: Int; title: Text }) => p.updateWhere((p) => p.id.eq(id), { title }),
  );
  all.set('prepared update', rename({ id: 7, title: 'x' }).body);

  for (const [i, query] of orders.entries()) {
    all.set(`page ${i}`, pageOf(query, { size: 2 }).body);
    for (const [k, cursor] of cursors(i).entries()) {
      const place = k % 2 === 1 ? { before: cursor } : { after: cursor };
      all.set(`page ${i} ${k}`, pageOf(query, { size: 2, ...place }).body);
    }
  }
  return all;
}

let made: GoModule | undefined;
let printed = new Map<string, string>();

beforeAll(async () => {
  if (go === undefined) return;
  made = goModule('texts');
  const { status, out, all } = await made.run([
    'run',
    './texts',
    ...orders.flatMap((_, i) => cursors(i)),
  ]);
  if (status !== 0) throw new Error(all);
  printed = new Map(
    out
      .trim()
      .split('\n')
      .map((line) => line.split('\t') as [string, string]),
  );
});
afterAll(() => made?.[Symbol.dispose]());

for (const [name, text] of texts()) {
  test.skipIf(go === undefined)(name, () => expect(printed.get(name)).toBe(text));
}

test.skipIf(go === undefined)('both have the same queries', () => {
  expect([...printed.keys()].sort()).toEqual([...texts().keys()].sort());
});
