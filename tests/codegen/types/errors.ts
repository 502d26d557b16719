/** What must not compile: compiled, never run. */

import {
  type Client,
  count,
  lit,
  program,
  recursive,
  rows,
  sum,
  when,
} from '../../../clients/typescript/runtime/index.ts';
import { t } from '../specimen/db.ts';

async function errors(db: Client): Promise<void> {
  t.posts.where((p) => {
    // @ts-expect-error: unknown column
    p.nope;
    // @ts-expect-error: text against number
    p.title.eq(1);
    // @ts-expect-error: number against text
    p.id.eq('1');
    // @ts-expect-error: int64 against float64
    p.score.eq(p.rating);
    // @ts-expect-error: float64 against int64
    p.rating.add(p.score);
    // @ts-expect-error: comparison with null
    p.title.eq(null);
    // @ts-expect-error: comparison of what can be NULL with null
    p.body.eq(null);
    // @ts-expect-error: a number has no text match
    p.id.contains('1');
    // @ts-expect-error: a text cannot be added
    p.title.add('x');
    // @ts-expect-error: a number is no truth value
    p.id.and(p.id.eq(1));
    // @ts-expect-error: text within numbers
    p.id.in(['1']);
    // @ts-expect-error: bigint beside float64
    p.rating.eq(1n);
    // @ts-expect-error: arms of two types
    when(p.id.eq(1), p.title).else(p.id);
    // @ts-expect-error: a test that is no truth value
    when(p.id, p.title);
    // @ts-expect-error: a value of another type
    lit('int64', 'x');
    // @ts-expect-error: no such type
    lit('date', 1);
    // @ts-expect-error: text in place of what can be NULL
    p.body.orElse(1);
    return p.id.eq(1);
  });
  // @ts-expect-error: non-bool predicate
  t.posts.where((p) => p.id);
  // @ts-expect-error: a plain truth value
  t.posts.where(() => true);
  // @ts-expect-error: non-bool condition of a join
  t.posts.join(t.users, (p) => p.id);
  // @ts-expect-error: missing insert member
  t.posts.insert({ title: 'x' });
  // @ts-expect-error: unknown insert member
  t.users.insert({ handle: 'x', nope: 1 });
  // @ts-expect-error: null into non-null
  t.users.insert({ handle: null });
  // @ts-expect-error: a value of another type
  t.users.insert({ handle: 1 });
  // @ts-expect-error: missing member of a row
  t.users.insertMany([{ bio: 'x' }]);
  // @ts-expect-error: key in a patch
  t.posts.update({ id: 1 }, { id: 2 });
  // @ts-expect-error: unknown member of a patch
  t.posts.update({ id: 1 }, { nope: 2 });
  // @ts-expect-error: null into non-null
  t.posts.update({ id: 1 }, { title: null });
  // @ts-expect-error: nullable into non-null
  t.posts.update({ id: 1 }, (p) => ({ title: p.body }));
  // @ts-expect-error: soft nullability: a count into non-null
  t.posts.update({ id: 1 }, (_, r) => ({ score: r.comments.count() }));
  t.posts.updateWhere(
    (p) => p.id.eq(1),
    // @ts-expect-error: text into number
    (p) => ({ score: p.title }),
  );
  // @ts-expect-error: no key
  t.posts.get({ title: 'x' });
  // @ts-expect-error: a key of another type
  t.posts.get({ id: 'x' });
  // @ts-expect-error: `by` on a non-unique column
  t.users.by({ bio: 'x' });
  // @ts-expect-error: `get` by a unique index that is not the primary key
  t.users.get({ handle: 'x' });
  // @ts-expect-error: delete by no key
  t.users.delete({ bio: 'x' });
  // @ts-expect-error: a fold outside group
  t.posts.where((p) => sum(p.score).gt(1));
  t.posts.group(
    (p) => ({ a: p.id }),
    // @ts-expect-error: what is no fold in a group
    (p) => ({ b: p.score }),
  );
  // @ts-expect-error: sum of text
  t.posts.fold((p) => ({ s: sum(p.title) }));
  t.posts
    .group(
      (p) => ({ a: p.id }),
      () => ({ n: count() }),
    )
    // @ts-expect-error: a column that was grouped away
    .where((g) => g.title.eq('x'));
  // @ts-expect-error: set operands of other names
  t.users.select((u) => ({ a: u.id })).union(t.users.select((u) => ({ b: u.id })));
  // @ts-expect-error: set operands of other types
  t.users.select((u) => ({ a: u.id })).except(t.users.select((u) => ({ a: u.handle })));
  // @ts-expect-error: set operands of other tables
  t.users.union(t.posts);
  // @ts-expect-error: a plain value in select
  t.users.select(() => ({ a: 1 }));
  // @ts-expect-error: a column that was not selected
  t.users.select((u) => ({ a: u.id })).where((r) => r.handle.eq('x'));
  // @ts-expect-error: no such relation
  t.users.where((_, r) => r.nope.exists());
  // @ts-expect-error: a limit that is no number
  t.users.limit('1');
  // @ts-expect-error: values of another type
  t.users.whereIn((u) => u.id, ['x']);
  // @ts-expect-error: a row of another shape
  rows({ n: 'int64' }, [{ m: 1n }]);
  // @ts-expect-error: an upsert on no column
  t.counters.upsert([{ name: 'x', n: 1 }], { on: ['nope'] });
  // @ts-expect-error: the key is not set
  t.counters.upsert([{ name: 'x', n: 1 }], { set: ['name'] });
  // @ts-expect-error: a guard on a number
  program((p) => p.ensure('x', t.users.count()));
  recursive(
    t.comments.select((c) => ({ id: c.id })),
    // @ts-expect-error: a step of other columns
    () => t.users.select((u) => ({ id: u.id })),
  );
  // @ts-expect-error: a nullable result used as non-null
  (await db.run(t.users.get({ id: 1 }))).handle;
  // @ts-expect-error: a fold that can be NULL used as non-null
  (await db.run(t.posts.fold((p) => ({ s: sum(p.score) })))).s + 1n;
  // @ts-expect-error: an outer side used as non-null
  (
    await db.run(
      t.users.leftJoin(t.posts, (u, p) => u.id.eq(p.author_id)).select((_, p) => ({ t: p.title })),
    )
  )[0]?.t.length;
  // @ts-expect-error: a page of one row
  await db.page(t.users.get({ id: 1 }), { size: 1 });
  // @ts-expect-error: a parameter is missing
  await db.prepare('x', { id: t.users.params.id }, (a) => t.users.get({ id: a.id }))({});
  // @ts-expect-error: a parameter of another type
  db.prepare('x', { h: t.users.params.handle }, (a) => t.users.get({ id: a.h }));
  // @ts-expect-error: what is kept is frozen
  (await db.cached(t.users)).push({ id: 1, handle: 'x', bio: null });
}

void errors;
