/** Each step of a query, each cardinality. */

import {
  all,
  and,
  col,
  comments,
  eq,
  fold,
  group,
  limit,
  lit,
  type Made,
  orderBy,
  posts,
  rel,
  select,
  table,
  users,
  uuid,
  values,
  where,
} from './trees.ts';

const title = { id: col('id'), title: col('title') };
const high = where(posts, ['gt', col('score'), 3]);

export const steps: readonly Made[] = [
  ['a table', users],
  ['a table of two key columns', table('表')],
  ['by primary key', ['get', 'users', { id: 1 }]],
  ['by primary key, not there', ['get', 'users', { id: 99 }]],
  ['by unique index', ['by', 'users', { handle: 'ada' }]],
  ['by two columns', ['get', '表', { a: 1, b: 'x' }]],
  ['by two columns, in the other order', ['get', '表', { b: 'x', a: 2 }]],
  ['by uuid', ['get', 'comments', { id: uuid(1) }]],
  ['by key, some columns', select(['get', 'posts', { id: 2 }], title)],
  ['filter', high],
  ['two filters', where(high, ['isNotNull', col('body')])],
  ['filter, select', select(high, title)],
  ['select, filter', where(select(posts, title), ['lt', col('id'), 4])],
  ['order ascending', orderBy(users, col('handle'))],
  ['order descending', orderBy(users, ['desc', col('handle')])],
  ['order by two terms', orderBy(posts, ['desc', col('at')], ['asc', col('id')])],
  ['order with NULLs first', orderBy(posts, col('rating'), col('id'))],
  ['order with NULLs last', orderBy(posts, ['desc', col('rating')], col('id'))],
  ['order by an expression', orderBy(posts, ['neg', col('id')])],
  ['order twice', orderBy(orderBy(posts, col('at'), col('id')), ['desc', col('id')])],
  ['limit without an order', limit(posts, 2)],
  ['limit of an order', limit(orderBy(posts, ['desc', col('id')]), 2)],
  ['limit 0', limit(posts, 0)],
  ['offset', ['offset', posts, 5]],
  ['offset, limit', limit(['offset', posts, 1], 2)],
  ['limit, offset', ['offset', limit(posts, 4), 1]],
  ['limit, limit', limit(limit(posts, 4), 2)],
  ['limit, filter', where(limit(posts, 3), ['gt', col('id'), 1])],
  ['limit, select', select(limit(posts, 3), title)],
  ['select, limit', limit(select(posts, title), 3)],
  ['select, order, limit', limit(orderBy(select(posts, title), ['desc', col('id')]), 3)],
  [
    'select twice',
    select(select(posts, { n: ['add', col('score'), 1] }), { m: ['mul', col('n'), 2] }),
  ],
  ['first', ['first', posts]],
  ['first of an order', ['first', orderBy(posts, ['desc', col('id')])]],
  ['first of nothing', ['first', where(posts, eq(col('id'), 99))]],
  ['first, select', select(['first', posts], title)],
  ['select, first', ['first', select(posts, title)]],
  ['one', ['one', where(users, eq(col('handle'), 'ada'))]],
  ['one of none', ['one', where(users, eq(col('handle'), 'nobody'))]],
  ['one of several', ['one', users]],
  ['count', ['count', posts]],
  ['count of a filter', ['count', high]],
  ['exists', ['exists', high]],
  ['exists not', ['not', ['exists', where(posts, eq(col('id'), 99))]]],
  ['a value', ['value', orderBy(posts, col('id')), col('title')]],
  ['a value without an order', ['value', posts, col('title')]],
  ['a value of nothing', ['value', where(posts, eq(col('id'), 99)), col('title')]],
  ['a value by key', ['value', ['get', 'posts', { id: 1 }], col('score')]],
  ['named', ['named', posts, 'all-posts_1']],
  ['named below', limit(['named', posts, 'top'], 1)],
  ['distinct', ['distinct', select(posts, { author: col('author_id') })]],
  ['distinct rows of a table', ['distinct', users]],
  [
    'distinct, order',
    orderBy(['distinct', select(posts, { author: col('author_id') })], ['desc', col('author')]),
  ],
];

export const joins: readonly Made[] = [
  [
    'inner join',
    select(['join', posts, users, eq(col('id', 1), col('author_id'))], {
      title: col('title'),
      by: col('handle', 1),
    }),
  ],
  [
    'left join',
    select(['leftJoin', posts, comments, eq(col('post_id', 1), col('id'))], {
      id: col('id'),
      body: col('body', 1),
    }),
  ],
  [
    'three sides',
    select(
      [
        'join',
        ['leftJoin', posts, comments, eq(col('post_id', 1), col('id'))],
        users,
        eq(col('id', 2), col('author_id')),
      ],
      { title: col('title'), body: col('body', 1), by: col('handle', 2) },
    ),
  ],
  [
    'join, filter, order, limit',
    select(
      limit(
        orderBy(
          where(
            ['join', posts, users, eq(col('id', 1), col('author_id'))],
            ['gt', col('score'), 0],
          ),
          ['desc', col('score')],
          col('id'),
        ),
        2,
      ),
      { h: col('handle', 1), s: col('score') },
    ),
  ],
  [
    'join with itself',
    select(['join', users, users, ['lt', col('id'), col('id', 1)]], {
      a: col('handle'),
      b: col('handle', 1),
    }),
  ],
  [
    'join with a filtered side',
    select(['join', users, high, eq(col('author_id', 1), col('id'))], {
      a: col('handle'),
      b: col('title', 1),
    }),
  ],
  [
    'join with a grouped side',
    select(
      [
        'leftJoin',
        users,
        group(posts, { author: col('author_id') }, { n: ['count'] }),
        eq(col('author', 1), col('id')),
      ],
      { a: col('handle'), n: ['orElse', col('n', 1), 0] },
    ),
  ],
  [
    'join without select, columns of other names',
    [
      'join',
      select(users, { u: col('id') }),
      select(posts, { p: col('id'), a: col('author_id') }),
      eq(col('u'), col('a', 1)),
    ],
  ],
  [
    'join without select, columns of one name',
    ['join', users, posts, eq(col('id'), col('author_id', 1))],
  ],
  [
    'join on a literal',
    select(
      ['join', users, posts, and(eq(col('author_id', 1), col('id')), eq(col('live', 1), true))],
      { h: col('handle'), t: col('title', 1) },
    ),
  ],
];

export const groups: readonly Made[] = [
  ['group, count', group(posts, { author: col('author_id') }, { n: ['count'] })],
  [
    'group by two keys',
    group(posts, { author: col('author_id'), live: col('live') }, { n: ['count'] }),
  ],
  ['group without folds', group(posts, { live: col('live') })],
  ['group by an expression', group(posts, { big: ['gt', col('score'), 3] }, { n: ['count'] })],
  [
    'all folds',
    group(
      posts,
      { author: col('author_id') },
      {
        n: ['count'],
        s: ['sum', col('score')],
        a: ['avg', col('rating')],
        lo: ['min', col('title')],
        hi: ['max', col('title')],
      },
    ),
  ],
  [
    'having',
    where(group(posts, { author: col('author_id') }, { n: ['count'] }), ['gt', col('n'), 2]),
  ],
  [
    'group, order by a fold',
    orderBy(
      group(posts, { author: col('author_id') }, { n: ['count'] }),
      ['desc', col('n')],
      col('author'),
    ),
  ],
  [
    'group, select',
    select(group(posts, { author: col('author_id') }, { n: ['count'] }), {
      a: col('author'),
      twice: ['mul', col('n'), 2],
    }),
  ],
  [
    'group of a group',
    fold(group(posts, { author: col('author_id') }, { n: ['count'] }), { most: ['max', col('n')] }),
  ],
  ['fold', fold(posts, { n: ['count'], s: ['sum', col('score')] })],
  [
    'fold of nothing',
    fold(where(posts, eq(col('id'), 99)), {
      n: ['count'],
      s: ['sum', col('score')],
      a: ['avg', col('rating')],
    }),
  ],
  [
    'fold of an expression',
    fold(posts, { s: ['sum', ['mul', col('score'), 2]], f: ['sum', col('rating')] }),
  ],
  ['fold, select', select(fold(posts, { n: ['count'] }), { n: ['add', col('n'), 1] })],
  ['fold with a filter behind', where(fold(posts, { n: ['count'] }), ['gt', col('n'), 100])],
];

const of = (q: unknown, name: string) => select(q, { who: col(name) });
export const sets: readonly Made[] = [
  ['union', ['union', of(users, 'id'), of(posts, 'author_id')]],
  [
    'union, order, limit',
    limit(orderBy(['union', of(users, 'id'), of(posts, 'author_id')], ['desc', col('who')]), 3),
  ],
  ['intersect', ['intersect', of(users, 'id'), of(posts, 'author_id'), false]],
  ['intersect all', ['intersect', of(posts, 'author_id'), of(posts, 'author_id'), true]],
  ['except', ['except', of(users, 'id'), of(posts, 'author_id'), false]],
  ['except all', ['except', of(posts, 'author_id'), of(users, 'id'), true]],
  [
    'union of three',
    ['union', ['union', of(users, 'id'), of(posts, 'author_id')], of(comments, 'post_id')],
  ],
  ['union of tables', ['union', users, where(users, eq(col('id'), 1))]],
  ['union where one side can be NULL', ['union', of(users, 'id'), of(comments, 'author_id')]],
  [
    'union, then select',
    select(['union', of(users, 'id'), of(posts, 'author_id')], { next: ['add', col('who'), 1] }),
  ],
  ['union of other columns', ['union', of(users, 'id'), of(users, 'handle')]],
  ['union of other names', ['union', of(users, 'id'), select(users, { id: col('id') })]],
];

export const nested: readonly Made[] = [
  ['an array', select(users, { h: col('handle'), posts: rel('posts') })],
  [
    'an array of some columns',
    select(users, { h: col('handle'), posts: select(rel('posts'), title) }),
  ],
  [
    'top of each',
    select(users, {
      h: col('handle'),
      top: select(limit(orderBy(rel('posts'), ['desc', col('score')], col('id')), 2), title),
    }),
  ],
  ['the row that is there', select(posts, { id: col('id'), by: rel('author') })],
  [
    'the row that may be there',
    select(comments, { id: col('id'), by: select(rel('author'), { h: col('handle') }) }),
  ],
  [
    'all columns and more',
    select(posts, {
      ...Object.fromEntries(
        ['id', 'author_id', 'title', 'body', 'score', 'rating', 'live', 'at'].map((name) => [
          name,
          col(name),
        ]),
      ),
      n: ['count', rel('comments')],
    }),
  ],
  [
    'a filtered relation',
    select(users, { h: col('handle'), live: where(rel('posts'), eq(col('live'), true)) }),
  ],
  [
    'first of a relation',
    select(users, { h: col('handle'), p: ['first', orderBy(rel('posts'), ['desc', col('id')])] }),
  ],
  ['one of a relation', select(where(users, eq(col('id'), 3)), { p: ['one', rel('posts')] })],
  ['a value of a relation', select(posts, { by: ['value', rel('author'), col('handle')] })],
  ['exists of a relation', where(users, ['exists', rel('comments')])],
  [
    'not exists of a filtered relation',
    where(users, ['not', ['exists', where(rel('posts'), ['gt', col('score'), 3])]]),
  ],
  ['count of a relation as a test', where(users, ['gt', ['count', rel('posts')], 1])],
  ['order by a count', orderBy(users, ['desc', ['count', rel('posts')]], col('id'))],
  [
    'three levels',
    select(users, {
      h: col('handle'),
      posts: select(rel('posts'), {
        t: col('title'),
        comments: select(rel('comments'), {
          b: col('body'),
          by: select(rel('author'), { h: col('handle') }),
        }),
      }),
    }),
  ],
  [
    'the outer row within',
    select(users, { posts: select(rel('posts'), { t: col('title'), of: col('handle', 0, 1) }) }),
  ],
  [
    'the outermost row within',
    select(users, {
      posts: select(rel('posts'), {
        comments: select(rel('comments'), { x: col('handle', 0, 2), y: col('title', 0, 1) }),
      }),
    }),
  ],
  [
    'a query of the outer row',
    select(users, {
      h: col('handle'),
      others: ['count', where(posts, ['ne', col('author_id'), col('id', 0, 1)])],
    }),
  ],
  [
    'the outer relation within',
    select(users, { posts: select(rel('posts'), { n: ['count', rel('posts', 1)] }) }),
  ],
  [
    'many to many',
    select(posts, { id: col('id'), tags: select(rel('tags'), { name: col('name') }) }),
  ],
  [
    'many to many, the other way',
    select(table('tags'), { name: col('name'), posts: select(rel('posts'), title) }),
  ],
  [
    'the table between',
    select(table('post_tags'), { t: ['value', rel('post'), col('title')], tag: rel('tag') }),
  ],
  [
    'a row of its own table',
    select(comments, { id: col('id'), parent: rel('parent'), replies: rel('comments_by_parent') }),
  ],
  [
    'a fold within',
    select(users, {
      h: col('handle'),
      f: fold(rel('posts'), { n: ['count'], s: ['sum', col('score')] }),
    }),
  ],
  [
    'groups within',
    select(users, {
      h: col('handle'),
      by: group(rel('posts'), { live: col('live') }, { n: ['count'] }),
    }),
  ],
  [
    'a nested object behind a filter',
    select(where(users, eq(col('id'), 1)), {
      p: select(limit(rel('posts'), 1), { a: rel('author') }),
    }),
  ],
  [
    'several results',
    all({
      me: ['get', 'users', { id: 1 }],
      posts: where(posts, eq(col('author_id'), 1)),
      total: ['count', posts],
    }),
  ],
  [
    'several results, one of them missing',
    all({
      none: ['get', 'users', { id: 99 }],
      any: ['exists', users],
      v: ['value', users, col('handle')],
    }),
  ],
  [
    'several results, one that must be there',
    all({ me: ['one', where(users, eq(col('id'), 99))] }),
  ],
];

const anchor = select(where(comments, ['isNull', col('parent_id')]), {
  id: col('id'),
  depth: lit('int64', 0),
});
const step = select(['join', comments, ['use', 'self'], eq(col('parent_id'), col('id', 1))], {
  id: col('id'),
  depth: ['add', col('depth', 1), 1],
});
const numbers = (n: number) =>
  [
    'recursive',
    select(['rows', [['n', 'int64']], [{ n: 1 }]], { n: col('n') }),
    select(where(['use', 'self'], ['lt', col('n'), n]), { n: ['add', col('n'), 1] }),
    'new',
  ] as const;
export const recursions: readonly Made[] = [
  ['a tree', ['recursive', anchor, step, 'new']],
  ['a tree with duplicates', ['recursive', anchor, step, 'all']],
  [
    'a tree, its deepest',
    ['first', orderBy(['recursive', anchor, step, 'new'], ['desc', col('depth')], col('id'))],
  ],
  ['numbers', numbers(5)],
  ['numbers, counted', ['count', numbers(10)]],
  [
    'a chain of rows',
    [
      'recursive',
      select(where(table('class'), eq(col('import'), 1)), { i: col('import') }),
      select(['join', table('class'), ['use', 'self'], eq(col('self'), col('i', 1))], {
        i: col('import'),
      }),
      'new',
    ],
  ],
  ['shared once', ['let', 'x', ['shared', select(high, title)], ['use', 'x']]],
  [
    'shared twice',
    ['let', 'x', ['shared', select(high, title)], ['union', ['use', 'x'], ['use', 'x']]],
  ],
  [
    'shared in a join',
    [
      'let',
      'x',
      ['shared', select(high, title)],
      select(['join', ['use', 'x'], ['use', 'x'], eq(col('id'), col('id', 1))], {
        a: col('title'),
        b: col('title', 1),
      }),
    ],
  ],
  [
    'shared table',
    [
      'let',
      'x',
      ['shared', users],
      select(['join', ['use', 'x'], posts, eq(col('author_id', 1), col('id'))], {
        h: col('handle'),
        t: col('title', 1),
      }),
    ],
  ],
  [
    'one query twice, not shared',
    ['let', 'x', select(high, title), ['union', ['use', 'x'], ['use', 'x']]],
  ],
  [
    'shared in several results',
    ['let', 'x', ['shared', high], all({ rows: ['use', 'x'], n: ['count', ['use', 'x']] })],
  ],
  [
    'rows',
    [
      'rows',
      [
        ['n', 'int64'],
        ['s', 'text'],
      ],
      [
        { n: 1, s: 'a' },
        { n: 2, s: null },
      ],
    ],
  ],
  [
    'rows of all types',
    [
      'rows',
      [
        ['i', 'int64'],
        ['f', 'float64'],
        ['b', 'bool'],
        ['s', 'text'],
        ['x', 'bytes'],
      ],
      [{ i: 1, f: 1.5, b: true, s: 'a', x: { $bytes: 'AAE=' } }],
    ],
  ],
  [
    'rows joined',
    select(
      [
        'join',
        [
          'rows',
          [
            ['id', 'int64'],
            ['w', 'float64'],
          ],
          [
            { id: 1, w: 0.5 },
            { id: 2, w: 2 },
          ],
        ],
        posts,
        eq(col('id', 1), col('id')),
      ],
      { t: col('title', 1), w: col('w') },
    ),
  ],
  ['no rows', ['rows', [['n', 'int64']], []]],
  ['values', values],
];
