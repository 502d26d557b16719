/** The tables of the shop, and their rows as cells: what every engine is loaded with. */

import type { Shop } from './data.ts';

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

const int64 = (name: string) => ({ name, type: 'int64' }) as const;
const text = (name: string) => ({ name, type: 'text' }) as const;

export function tablesOf({ users, products, orders, posts, comments }: Shop): readonly ShopTable[] {
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
      count: users.count,
      row: (id) => {
        const [age, city] = [users.age[id] as number, users.city[id] as number];
        return [id, `user ${id}`, `user${id}@example.org`, age, cityName(city), id * 1_000];
      },
    },
    {
      name: 'products',
      columns: [int64('id'), text('name'), text('category')],
      indexes: [],
      count: products.count,
      row: (id) => [id, `product ${id}`, categoryName(products.category[id] as number)],
    },
    {
      name: 'orders',
      columns: [
        int64('id'),
        int64('user_id'),
        int64('product_id'),
        { name: 'total', type: 'float64' },
        int64('created_at'),
      ],
      indexes: [['product_id', 'created_at'], ['created_at']],
      count: orders.count,
      row: (id) => [
        id,
        orders.user[id] as number,
        orders.product[id] as number,
        orders.total[id] as number,
        orders.createdAt[id] as number,
      ],
    },
    {
      name: 'posts',
      columns: [int64('id'), int64('user_id'), text('title'), text('body')],
      indexes: [],
      count: posts.count,
      row: (id) => [id, posts.user[id] as number, `post ${id}`, `what post ${id} has to say `],
    },
    {
      name: 'comments',
      columns: [int64('id'), int64('post_id'), text('body')],
      indexes: [['post_id']],
      count: comments.count,
      row: (id) => [id, comments.post[id] as number, commentBody(id)],
    },
  ];
}

export function cityName(city: number): string {
  return `city ${city}`;
}

export function categoryName(category: number): string {
  return `category ${category}`;
}

export function commentBody(id: number): string {
  return `this is comment ${id} quite a while after the post, and says little`;
}
