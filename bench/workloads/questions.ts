/** What the shop is asked, for every engine; where one is easy, a plain loop over the typed arrays beside it. */

import type { Shop } from './data.ts';
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
import { categoryName, cityName } from './tables.ts';

export function questionsFor(shop: Shop): readonly Question[] {
  const product = (turn: number) => (turn * 7919) % shop.products.count;
  const user = (turn: number) => (turn * 7919) % shop.users.count;
  const orders = scan('orders', 'o');
  const city = cityName(7);
  return [
    {
      name: 'a user by primary key',
      goal: { of: 'point', times: 1 },
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
      name: 'top 10 of one product by created_at, descending',
      goal: { of: 'point', times: 2 },
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
      name: 'top 10 by created_at where total > 900',
      goal: { of: 'point', times: 3 },
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
      name: 'top 25 by total, no index',
      goal: { of: 'duckdb', times: 1.5 },
      program: () => programOf({ s: orders, r: order('s', '-o.total'), l: limited('r', 25) }),
      sql: () => 'select * from orders order by total desc, id limit 25',
      loop: () => topByTotal(shop),
    },
    {
      name: 'count of all',
      goal: { ms: 5 },
      program: () =>
        programOf({ s: orders, n: aggregate('s', 'n', {}, { n: ['count'] }) }, 'exactly_one'),
      sql: () => 'select count(*) n from orders',
    },
    {
      name: 'sum and count where total > 500',
      goal: { of: 'duckdb', times: 2 },
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
      loop: () => sumOfLarge(shop),
    },
    {
      name: 'orders with products, by category',
      goal: { of: 'duckdb', times: 2 },
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
      loop: () => byCategory(shop),
    },
    {
      name: 'by user, top 10 by sum',
      goal: { of: 'duckdb', times: 1.5 },
      program: () =>
        programOf({
          s: orders,
          g: aggregate('s', 'g', { user_id: 'o.user_id' }, { sum: ['sum', 'o.total'] }),
          r: order('g', '-g.sum', 'g.user_id'),
          l: limited('r', 10),
        }),
      sql: () =>
        'select user_id, sum(total) sum from orders group by user_id order by sum desc, user_id limit 10',
      loop: () => topUsers(shop),
    },
    {
      name: 'orders with users of one city, sum',
      goal: { of: 'duckdb', times: 2 },
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
      loop: () => ofOneCity(shop),
    },
    {
      name: 'count of distinct users',
      goal: { of: 'duckdb', times: 1.5 },
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
      loop: () => distinctUsers(shop),
    },
    {
      name: 'texts with 77 quite',
      goal: { of: 'duckdb', times: 2 },
      program: () =>
        programOf({ s: scan('comments', 'c'), f: filter('s', matches), n: countOf }, 'exactly_one'),
      sql: () => `select count(*) n from comments where body like '%77 quite%'`,
    },
    nestedPosts(shop),
  ];
}

/** 100 posts, author, 10 comments each. */
export function nestedPosts({ posts: { count } }: Shop): Question {
  const first = (turn: number) => (turn * 131) % (count - 99);
  return {
    name: '100 posts, author, 10 comments each',
    goal: { of: 'sqlite', times: 1 },
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
  const list =
    dialect === 'sqlite'
      ? `json_group_array(json_object('id', c.id, 'body', c.body))`
      : `to_json(list({id: c.id, body: c.body}))`;
  return (
    `select p.id, p.title, (select json_object('id', u.id, 'name', u.name, 'city', u.city) ` +
    `from users u where u.id = p.user_id) as author, (select ${list} from ` +
    `(select id, body from comments where post_id = p.id order by id limit 10) c) as comments ` +
    `from posts p where p.id >= ${first} order by p.id limit 100`
  );
}

function topByTotal({ orders: { total } }: Shop): unknown {
  const top: number[] = [];
  let bar = -1;
  for (let i = 0; i < total.length; i++) {
    const value = total[i] as number;
    if (value <= bar) continue;
    const at = top.findIndex((row) => (total[row] as number) < value);
    top.splice(at < 0 ? top.length : at, 0, i);
    if (top.length <= 25) continue;
    top.pop();
    bar = total[top[24] as number] as number;
  }
  return top;
}

function sumOfLarge({ orders: { total } }: Shop): unknown {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < total.length; i++) {
    if ((total[i] as number) <= 500) continue;
    sum += total[i] as number;
    count++;
  }
  return [count, sum];
}

function byCategory({ orders, products }: Shop): unknown {
  const sums = new Float64Array(256);
  const counts = new Uint32Array(256);
  for (let i = 0; i < orders.count; i++) {
    const category = products.category[orders.product[i] as number] as number;
    sums[category] = (sums[category] as number) + (orders.total[i] as number);
    counts[category] = (counts[category] as number) + 1;
  }
  return [...counts].map((count, i) => [categoryName(i), count, sums[i]]);
}

function topUsers({ orders, users }: Shop): unknown {
  const sums = new Float64Array(users.count);
  for (let i = 0; i < orders.count; i++) {
    const user = orders.user[i] as number;
    sums[user] = (sums[user] as number) + (orders.total[i] as number);
  }
  const ids = Uint32Array.from(sums, (_, i) => i);
  return ids.sort((a, b) => (sums[b] as number) - (sums[a] as number)).slice(0, 10);
}

function ofOneCity({ orders, users }: Shop): unknown {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < orders.count; i++) {
    if (users.city[orders.user[i] as number] !== 7) continue;
    sum += orders.total[i] as number;
    count++;
  }
  return [count, sum];
}

function distinctUsers({ orders, users }: Shop): unknown {
  const seen = new Uint8Array(users.count);
  let count = 0;
  for (let i = 0; i < orders.count; i++) {
    const user = orders.user[i] as number;
    count += 1 - (seen[user] as number);
    seen[user] = 1;
  }
  return count;
}
