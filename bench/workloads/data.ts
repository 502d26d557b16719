/** The shop that the workloads ask about: the same rows from the same seed, held in typed arrays. */

const categories = 20;
const cities = 100;
const seed = 0x5eed;

export interface Shop {
  readonly users: { readonly count: number; readonly age: Uint8Array; readonly city: Uint8Array };
  readonly products: { readonly count: number; readonly category: Uint8Array };
  readonly orders: {
    readonly count: number;
    readonly user: Uint32Array;
    readonly product: Uint32Array;
    readonly total: Float64Array;
    readonly createdAt: Uint32Array;
  };
  readonly posts: { readonly count: number; readonly user: Uint32Array };
  readonly comments: { readonly count: number; readonly post: Uint32Array };
}

/** A tenth as many users and comments as orders, a hundredth as many posts. */
export function makeShop(orders: number): Shop {
  const below = random(seed);
  const users = Math.max(10, orders / 10);
  const posts = Math.max(100, orders / 100);
  const products = Math.min(1_000, orders / 10);
  const numbers = (count: number, bound: number) =>
    Uint32Array.from({ length: count }, () => below(bound));
  return {
    users: {
      count: users,
      age: Uint8Array.from({ length: users }, () => 18 + below(60)),
      city: Uint8Array.from({ length: users }, () => below(cities)),
    },
    products: {
      count: products,
      category: Uint8Array.from({ length: products }, () => below(categories)),
    },
    orders: {
      count: orders,
      user: numbers(orders, users),
      product: numbers(orders, products),
      total: Float64Array.from({ length: orders }, () => below(100_000) / 100),
      createdAt: numbers(orders, 1_000_000_000),
    },
    posts: { count: posts, user: numbers(posts, users) },
    comments: { count: users, post: numbers(users, posts) },
  };
}

/** Mulberry32: whole numbers below a bound. */
export function random(start: number): (bound: number) => number {
  let state = start;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}
