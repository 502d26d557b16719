/** The questions about the shop that change nothing. */

import {
  aggregate,
  binary,
  filter,
  join,
  limited,
  lit,
  order,
  programOf,
  project,
  scan,
} from './lir.ts';
import type { Dialect, Question } from './question.ts';
import { object, objects } from './sql.ts';
import { cityName, type ShopCounts } from './tables.ts';

export function questionsFor(shop: ShopCounts): readonly Question[] {
  const product = (turn: number) => (turn * 7919) % shop.products;
  const user = (turn: number) => (turn * 7919) % shop.users;
  const orders = scan('orders', 'o');
  const city = cityName(7);
  const middle = Math.floor(shop.orders / 2);
  return [
    {
      id: 'point',
      name: 'a user by primary key',
      program: (turn) =>
        programOf(
          {
            s: scan('users', 'u'),
            f: filter('s', binary('eq', 'u.id', lit('int64', user(turn)))),
          },
          'first',
        ),
      sql: (turn) => `select * from users where id = ${user(turn)}`,
    },
    {
      id: 'top-product',
      name: 'top 10 of one product by created_at, descending',
      program: (turn) =>
        programOf({
          s: orders,
          f: filter('s', binary('eq', 'o.product_id', lit('int64', product(turn)))),
          r: order('f', '-o.created_at'),
          l: limited('r', 10),
        }),
      sql: (turn) =>
        `select * from orders where product_id = ${product(turn)} order by created_at desc, id limit 10`,
    },
    {
      id: 'top-time',
      name: 'top 10 by created_at where total > 900',
      program: () =>
        programOf({
          s: orders,
          f: filter('s', binary('gt', 'o.total', lit('float64', 900))),
          r: order('f', '-o.created_at'),
          l: limited('r', 10),
        }),
      sql: () => 'select * from orders where total > 900 order by created_at desc, id limit 10',
    },
    {
      id: 'top-total',
      name: 'top 25 by total, no index',
      program: () => programOf({ s: orders, r: order('s', '-o.total'), l: limited('r', 25) }),
      sql: () => 'select * from orders order by total desc, id limit 25',
    },
    {
      id: 'middle',
      name: 'third row after the middle row, by total',
      program: () =>
        programOf({ s: orders, r: order('s', 'o.total', 'o.id'), l: limited('r', 1, middle + 2) }),
      sql: () => `select * from orders order by total, id limit 1 offset ${middle + 2}`,
    },
    {
      id: 'join-times',
      name: 'orders with half of the orders of the same time, count',
      program: () =>
        programOf(
          {
            a: scan('orders', 'a'),
            b: scan('orders', 'b'),
            h: filter('b', binary('lt', 'b.id', lit('int64', middle))),
            j: join('a', 'h', binary('eq', 'a.created_at', 'b.created_at')),
            n: aggregate('j', 'n', {}, { n: ['count'] }),
          },
          'exactly_one',
        ),
      sql: () =>
        `select count(*) n from orders a join orders b on a.created_at = b.created_at where b.id < ${middle}`,
    },
    {
      id: 'count',
      name: 'count of all',
      program: () =>
        programOf({ s: orders, n: aggregate('s', 'n', {}, { n: ['count'] }) }, 'exactly_one'),
      sql: () => 'select count(*) n from orders',
    },
    {
      id: 'sum',
      name: 'sum and count where total > 500',
      program: () =>
        programOf(
          {
            s: orders,
            f: filter('s', binary('gt', 'o.total', lit('float64', 500))),
            n: aggregate('f', 'n', {}, { n: ['count'], sum: ['sum', 'o.total'] }),
          },
          'exactly_one',
        ),
      sql: () => 'select count(*) n, sum(total) sum from orders where total > 500',
    },
    {
      id: 'by-category',
      name: 'orders with products, by category',
      program: () =>
        programOf({
          o: orders,
          p: scan('products', 'p'),
          j: join('o', 'p', binary('eq', 'o.product_id', 'p.id')),
          g: aggregate(
            'j',
            'g',
            { category: 'p.category' },
            { n: ['count'], sum: ['sum', 'o.total'] },
          ),
          r: order('g', 'g.category'),
        }),
      sql: () =>
        'select p.category category, count(*) n, sum(o.total) sum from orders o ' +
        'join products p on p.id = o.product_id group by p.category order by p.category',
    },
    {
      id: 'by-user',
      name: 'by user, top 10 by sum',
      program: () =>
        programOf({
          s: orders,
          g: aggregate('s', 'g', { user_id: 'o.user_id' }, { sum: ['sum', 'o.total'] }),
          r: order('g', '-g.sum', 'g.user_id'),
          l: limited('r', 10),
        }),
      sql: () =>
        'select user_id, sum(total) sum from orders group by user_id order by sum desc, user_id limit 10',
    },
    {
      id: 'one-city',
      name: 'orders with users of one city, sum',
      program: () =>
        programOf(
          {
            o: orders,
            u: scan('users', 'u'),
            j: join('o', 'u', binary('eq', 'o.user_id', 'u.id')),
            f: filter('j', binary('eq', 'u.city', lit('text', city))),
            n: aggregate('f', 'n', {}, { n: ['count'], sum: ['sum', 'o.total'] }),
          },
          'exactly_one',
        ),
      sql: () =>
        `select count(*) n, sum(o.total) sum from orders o join users u on u.id = o.user_id where u.city = '${city}'`,
    },
    {
      id: 'distinct',
      name: 'count of distinct users',
      program: () =>
        programOf(
          {
            s: orders,
            p: project('s', { user_id: 'o.user_id' }),
            d: { kind: 'distinct', input: 'p' },
            n: aggregate('d', 'n', {}, { n: ['count'] }),
          },
          'exactly_one',
        ),
      sql: () => 'select count(distinct user_id) n from orders',
    },
    {
      id: 'text',
      name: 'texts with 77 quite',
      program: () =>
        programOf({ s: scan('comments', 'c'), f: filter('s', matches), n: countOf }, 'exactly_one'),
      sql: () => `select count(*) n from comments where body like '%77 quite%'`,
    },
    nestedPosts(shop),
  ];
}

/** One order by primary key. */
export function orderOf({ orders }: ShopCounts, turn: number): string {
  const id = lit('int64', (turn * 7919) % orders);
  return programOf({ s: scan('orders', 'o'), f: filter('s', binary('eq', 'o.id', id)) }, 'first');
}

/** 100 posts, author, 10 comments each. */
export function nestedPosts({ posts }: ShopCounts): Question {
  const first = (turn: number) => (turn * 131) % (posts - 99);
  return {
    id: 'nested',
    name: '100 posts, author, 10 comments each',
    program: (turn) => programOf(postsFrom(first(turn))),
    sql: (turn, dialect) => postsSql(first(turn), dialect),
  };
}

const matches = {
  kind: 'text_match',
  value: { kind: 'col', scope: 'c', column: 'body' },
  parts: [{ kind: 'any_many' }, { kind: 'literal', value: '77 quite' }, { kind: 'any_many' }],
};

const countOf = aggregate('f', 'n', {}, { n: ['count'] });

function postsFrom(first: number): Record<string, object> {
  return {
    u: scan('users', 'u'),
    uf: filter('u', binary('eq', 'u.id', 'p.user_id')),
    author: project('uf', { id: 'u.id', name: 'u.name', city: 'u.city' }),
    c: scan('comments', 'c'),
    cf: filter('c', binary('eq', 'c.post_id', 'p.id')),
    cr: order('cf', 'c.id'),
    cl: limited('cr', 10),
    comments: project('cl', { id: 'c.id', body: 'c.body' }),
    s: scan('posts', 'p'),
    f: filter('s', binary('gte', 'p.id', lit('int64', first))),
    r: order('f', 'p.id'),
    l: limited('r', 100),
    x: project('l', {
      id: 'p.id',
      title: 'p.title',
      author: { kind: 'first', node: 'author' },
      comments: { kind: 'array', node: 'comments' },
    }),
  };
}

function postsSql(first: number, dialect: Dialect): string {
  const author = object(
    dialect,
    ['u.id', 'u.name', 'u.city'],
    'from users u where u.id = p.user_id',
  );
  const comments = objects(
    dialect,
    ['c.id', 'c.body'],
    'select id, body from comments where post_id = p.id order by id limit 10',
  );
  return (
    `select p.id, p.title, ${author} as author, ${comments} as comments ` +
    `from posts p where p.id >= ${first} order by p.id limit 100`
  );
}
