/** The tables of the shop, and their rows as cells: the contents of every engine. */

import { numberAt } from './data.ts';

export type Cell = number | string;

export interface ShopTable {
  readonly name: string;
  /** The first one is the primary key. */
  readonly columns: readonly {
    readonly name: string;
    readonly type: 'int64' | 'float64' | 'text';
  }[];
  readonly indexes: readonly (readonly string[])[];
  readonly count: number;
  row(id: number): readonly Cell[];
}

export interface ShopCounts {
  readonly orders: number;
  readonly users: number;
  readonly products: number;
  readonly posts: number;
  readonly comments: number;
}

const categories = 20;
const cities = 100;
/** `created_at` of an order is below it. */
export const timeBound = 1_000_000_000;

const int64 = (name: string) => ({ name, type: 'int64' }) as const;
const text = (name: string) => ({ name, type: 'text' }) as const;

/** A tenth as many users and comments as orders, a hundredth as many posts. */
export function countsOf(orders: number): ShopCounts {
  const users = Math.max(10, Math.floor(orders / 10));
  return {
    orders,
    users,
    products: Math.min(1_000, users),
    posts: Math.max(100, Math.floor(orders / 100)),
    comments: users,
  };
}

export function tablesOf(counts: ShopCounts): readonly ShopTable[] {
  return [...people(counts), ordersOf(counts), ...forum(counts)];
}

function people({ users, products }: ShopCounts): readonly ShopTable[] {
  const [age, city, category] = [1, 2, 3];
  return [
    {
      name: 'users',
      columns: [
        int64('id'),
        text('name'),
        text('email'),
        int64('age'),
        text('city'),
        int64('created_at'),
      ],
      indexes: [],
      count: users,
      row: (id) => [
        id,
        `user ${id}`,
        `user${id}@example.org`,
        18 + numberAt(age, id, 60),
        cityName(numberAt(city, id, cities)),
        id * 1_000,
      ],
    },
    {
      name: 'products',
      columns: [int64('id'), text('name'), text('category')],
      indexes: [],
      count: products,
      row: (id) => [id, `product ${id}`, categoryName(numberAt(category, id, categories))],
    },
  ];
}

function ordersOf({ orders, users, products }: ShopCounts): ShopTable {
  const [user, product, total, createdAt] = [4, 5, 6, 7];
  return {
    name: 'orders',
    columns: [
      int64('id'),
      int64('user_id'),
      int64('product_id'),
      { name: 'total', type: 'float64' },
      int64('created_at'),
    ],
    indexes: [['product_id', 'created_at'], ['created_at']],
    count: orders,
    row: (id) => [
      id,
      numberAt(user, id, users),
      numberAt(product, id, products),
      numberAt(total, id, 100_000) / 100,
      numberAt(createdAt, id, timeBound),
    ],
  };
}

function forum({ posts, users, comments }: ShopCounts): readonly ShopTable[] {
  const [author, post] = [8, 9];
  return [
    {
      name: 'posts',
      columns: [int64('id'), int64('user_id'), text('title'), text('body')],
      indexes: [],
      count: posts,
      row: (id) => [id, numberAt(author, id, users), `post ${id}`, `what post ${id} has to say `],
    },
    {
      name: 'comments',
      columns: [int64('id'), int64('post_id'), text('body')],
      indexes: [['post_id']],
      count: comments,
      row: (id) => [id, numberAt(post, id, posts), commentBody(id)],
    },
  ];
}

export function cityName(city: number): string {
  return `city ${city}`;
}

export function categoryName(category: number): string {
  return `category ${category}`;
}

function commentBody(id: number): string {
  return `this is comment ${id} quite a while after the post, and says little`;
}
