/** Wrong queries, one a line: where the compiler points, and what its message has to name. */

export interface WrongQuery {
  readonly code: string;
  readonly points: string;
  readonly names: readonly string[];
}

const wrong = (code: string, points: string, ...names: readonly string[]): WrongQuery => ({
  ...{ code, points, names },
});

export const wrongQueries: readonly WrongQuery[] = [
  wrong(`t.posts.where((p) => p.titel.eq('x'))`, 'titel', `'titel'`, 'PostsCols', `'title'?`),
  wrong('t.posts.where((p) => p.title.eq(1))', '1)', `'number'`, '"text"'),
  wrong('t.posts.where((p) => p.title.eq(null))', 'null', `'null'`, '"text"'),
  wrong('t.posts.where((p) => p.score.eq(p.rating))', 'p.rating', '"float64"', '"int64"'),
  wrong('t.posts.where((p) => p.id)', 'p.id', '"int64"', '"bool"'),
  wrong('t.posts.insert({ author_id: 1, created_at: 1 })', '{ author_id', `'title'`, 'PostsNew'),
  wrong(`t.users.insert({ handle: 'x', colour: 1 })`, 'colour', `'colour'`, 'UsersNew'),
  wrong('t.users.insert({ handle: null })', 'handle', `'null'`, `'string'`),
  wrong('t.posts.update({ id: 1 }, { id: 2 })', 'id: 2', `'id'`, 'PostsPatch'),
  wrong('t.posts.update({ id: 1 }, (p) => ({ title: p.body }))', '(p)', `'title'`, `'null'`),
  wrong(
    't.posts.update({ id: 1 }, (_, r) => ({ score: r.comments.count() }))',
    '(_, r)',
    ...[`'score'`, 'use orElse, or join the aggregate'],
  ),
  wrong(`t.users.by({ bio: 'x' })`, 'bio', `'bio'`, 'readonly handle: string'),
  wrong('t.posts.fold((p) => ({ s: sum(p.title) }))', 'p.title', '"text"', '"int64"'),
  wrong(
    't.posts.select((_, r) => ({ by: r.autor }))',
    'autor',
    `'autor'`,
    'PostsRels',
    `'author'?`,
  ),
  wrong(
    't.users.select((u) => ({ a: u.id })).union(t.users.select((u) => ({ b: u.id })))',
    't.users.select((u) => ({ b',
    `Property 'a' is missing`,
  ),
];
