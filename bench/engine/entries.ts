/** The entries that stores are measured with: 16-byte keys, values of 100 bytes of which half compress away. */

export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const valueBytes = 100;
const poolBytes = 1 << 20;

/** The same numbers in every run, so that both stores and every round get the same work. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Key `i`: sixteen decimal digits, in the order of the numbers. */
export function keyOf(i: number): Uint8Array {
  return new Uint8Array(Buffer.from(String(i).padStart(16, '0'), 'latin1'));
}

/** Entries 0 to `count` - 1 in the order of their keys. Values are parts of one pool. */
export function makeEntries(count: number, seed: number): readonly Entry[] {
  const random = randomNumbers(seed);
  const pool = new Uint8Array(poolBytes);
  for (let at = 0; at < poolBytes; at += 2) pool[at] = random();
  return Array.from({ length: count }, (_, i) => {
    const from = random() % (poolBytes - valueBytes);
    return { key: keyOf(i), value: pool.subarray(from, from + valueBytes) };
  });
}

/** `items` in an order that is the same for the same seed. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = randomNumbers(seed);
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = random() % (i + 1);
    const other = order[j] as T;
    order[j] = order[i] as T;
    order[i] = other;
  }
  return order;
}
