/** Pages: orders with and without NULLs, both directions, each cursor that there is. */

import type { Client, Page } from '../../../clients/typescript/runtime/index.ts';
import type { Tree } from '../interpret.ts';
import {
  col,
  group,
  type Made,
  orderBy,
  posts,
  rel,
  select,
  table,
  users,
  where,
} from './trees.ts';

const orders: readonly (readonly [name: string, query: Tree])[] = [
  ['a table', posts],
  ['two key columns', table('表')],
  [
    'names that pages have themselves',
    select(orderBy(posts, col('at')), { $k0: col('title'), id: col('id'), $k: col('score') }),
  ],
  ['NULLs first', orderBy(table('表'), col('n'))],
  ['NULLs last', orderBy(table('表'), ['desc', col('n')])],
  ['two terms with NULLs', orderBy(table('表'), ['desc', col('x')], col('n'))],
  ['two terms, the other way', orderBy(table('表'), col('x'), ['desc', col('n')])],
  ['the key descending', orderBy(posts, ['desc', col('id')])],
  ['a term not selected', select(orderBy(posts, ['desc', col('at')]), { t: col('title') })],
  [
    'nested rows',
    select(orderBy(users, col('handle')), { h: col('handle'), n: ['count', rel('posts')] }),
  ],
  ['a filter', where(posts, ['gt', col('score'), 0])],
  ['a filter of an order', where(orderBy(posts, ['desc', col('at')]), ['gt', col('score'), 0])],
  ['look-ups of an order', ['whereIn', orderBy(posts, ['desc', col('at')]), col('id'), [1, 2, 3]]],
  ['integers beyond 2^53', orderBy(posts, ['desc', col('score')])],
  ['identifiers', orderBy(table('comments'), ['desc', col('id')])],
  [
    'identifiers, another one for NULL',
    orderBy(table('comments'), [
      'orElse',
      col('parent_id'),
      '00000000-0000-4000-8000-0000000000ff',
    ]),
  ],
];
export const refused: readonly Made[] = [
  ['size 0', ['page', posts, { size: 0 }]],
  ['both cursors', ['page', posts, { size: 1, after: 'a', before: 'b' }]],
  ['no cursor at all', ['page', posts, { size: 1, after: '!' }]],
  ['of groups', ['page', group(posts, { a: col('author_id') }, {}), { size: 2 }]],
  ['of one row', ['page', ['get', 'posts', { id: 1 }], { size: 2 }]],
  [
    'a filter of a projection of an order',
    [
      'page',
      where(select(orderBy(posts, col('at')), { id: col('id') }), ['gt', col('id'), 1]),
      { size: 2 },
    ],
  ],
  ['an order that is lost', ['page', ['distinct', orderBy(posts, col('at'))], { size: 2 }]],
  ['of a limit', ['page', ['limit', posts, 2], { size: 2 }]],
];

/** All pages of each order, forward and back: the cursors are those that the answers have. */
export async function pages(
  pageOf: (build: Tree, db: Client) => Promise<Page<unknown>>,
  db: Client,
): Promise<readonly Made[]> {
  const made: Made[] = [...refused];
  let foreign: string | null = null;
  for (const [name, query] of orders) {
    let after: string | null = null;
    for (let i = 1; ; i++) {
      const build: Tree = ['page', query, after === null ? { size: 2 } : { size: 2, after }];
      made.push([`${name}, page ${i}`, build]);
      const { next, previous } = await pageOf(build, db);
      if (previous !== null)
        made.push([`${name}, before page ${i}`, ['page', query, { size: 2, before: previous }]]);
      if (next === null) break;
      if (foreign !== null && i === 1)
        made.push([
          `${name}, a cursor of another query`,
          ['page', query, { size: 2, after: foreign }],
        ]);
      foreign = next;
      after = next;
    }
  }
  return made;
}
