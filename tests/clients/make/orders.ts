/** Orders, and the steps behind them: those that keep an order, and those that are refused. */

import type { Tree } from '../interpret.ts';
import {
  all,
  col,
  eq,
  group,
  limit,
  type Made,
  orderBy,
  posts,
  program,
  rel,
  select,
  users,
  where,
} from './trees.ts';

const byScore = orderBy(posts, ['desc', col('score')], col('id'));
const among = (q: unknown): Tree => ['whereIn', q, col('id'), [1, 2, 4]];
const ofAuthor = eq(col('author_id'), 1);
const otherwise = ['join', byScore, users, eq(col('id', 1), col('author_id'))];
const handles = { title: col('title'), by: col('handle', 1) };

/** What becomes of an order behind it. */
export const orders: readonly Made[] = [
  ['order, whereIn', among(byScore)],
  ['order, filter, whereIn', among(where(byScore, ofAuthor))],
  ['order, whereIn, filter', where(among(byScore), ofAuthor)],
  ['order, whereIn, whereIn', ['whereIn', among(byScore), col('author_id'), [1]]],
  ['order, name, whereIn, limit', limit(among(['named', byScore, 'top']), 2)],
  ['order, whereIn, select', select(among(byScore), { title: col('title') })],
  ['first of an order with whereIn', ['first', among(byScore)]],
  [
    'order within, whereIn',
    select(users, { posts: among(orderBy(rel('posts'), ['desc', col('id')])) }),
  ],
  ['order, limit, whereIn', among(limit(byScore, 3))],
  ['order, limit, whereIn, order', orderBy(among(limit(byScore, 3)), col('id'))],
  ['limit without an order, whereIn', among(limit(posts, 3))],
  ['order, select, whereIn', among(select(byScore, { id: col('id') }))],
  ['order, distinct', ['distinct', byScore]],
  ['order, distinct, filter, limit', limit(where(['distinct', byScore], ofAuthor), 2)],
  ['order, distinct, order', orderBy(['distinct', byScore], col('id'))],
  ['order, distinct, count', ['count', ['distinct', byScore]]],
  ['order, distinct, first', ['first', ['distinct', byScore]]],
  ['order, distinct, value', ['value', ['distinct', byScore], col('id')]],
  ['order, shared', ['shared', byScore]],
  ['order, shared, order', orderBy(['shared', byScore], col('id'))],
  ['order, join', select(otherwise, handles)],
  ['order, left join', select(['leftJoin', ...otherwise.slice(1)], handles)],
  ['order, join, order', select(orderBy(otherwise, col('id')), handles)],
  [
    'order of the other side of a join',
    select(['join', users, byScore, eq(col('author_id', 1), col('id'))], {
      h: col('handle'),
      t: col('title', 1),
    }),
  ],
  ['order, union', ['union', byScore, posts]],
  ['union with an order', ['union', posts, limit(byScore, 1)]],
  ['order, intersect', ['intersect', byScore, posts, false]],
  ['order, except', ['except', byScore, posts, true]],
  ['order, group', group(byScore, { live: col('live') }, { n: ['count'] })],
  ['order, exists', ['exists', ['distinct', byScore]]],
  ['order, several results', all({ a: byScore, b: ['distinct', byScore] })],
  ['rows of an ordered query', program([['query', 'top', byScore]], all({ top: ['use', 'top'] }))],
  [
    'rows of an ordered query, order',
    program([['query', 'top', byScore]], all({ top: orderBy(['rowsOf', 'top'], col('id')) })),
  ],
  ['an ordered query of a program', program([['query', 'top', byScore]], ['use', 'top'])],
];
