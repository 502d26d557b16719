/** The anomalies that serializability excludes, and the races that are none. */

import { describe, expect, test } from 'bun:test';
import type { Direction, Store, Transaction } from '#storage';
import { bytes, memoryStore, range, read, take, text, write } from './support.ts';

/** Two transactions over the same state: both read, both write, the left one commits first. */
async function race(
  left: (transaction: Transaction) => Promise<void> | void,
  right: (transaction: Transaction) => Promise<void> | void,
  before: Record<string, string> = { a: '1', b: '2', c: '3', x: '9' },
) {
  const store = await memoryStore();
  await write(store, before);
  const one = store.begin();
  const two = store.begin();
  await left(one);
  await right(two);
  const outcomes = [(await one.commit()).kind, (await two.commit()).kind];
  one.release();
  two.release();
  await store.close();
  return outcomes;
}

const put =
  (key: string, value = 'new') =>
  (transaction: Transaction) =>
    transaction.put(bytes(key), bytes(value));

const scan =
  (from: string, to: string | undefined, direction: Direction, count?: number) =>
  async (transaction: Transaction) => {
    const cursor = transaction.scan(range(from, to), direction);
    const taken = await take(cursor, count);
    cursor.close();
    return taken;
  };

describe('conflicts', () => {
  test('lost update', async () => {
    const increment = async (transaction: Transaction) => {
      put('a', `${Number(await read(transaction, 'a')) + 1}`)(transaction);
    };
    expect(await race(increment, increment)).toEqual(['committed', 'conflict']);
  });

  test('write skew', async () => {
    const outcomes = await race(
      async (transaction) => {
        await read(transaction, 'a');
        put('b')(transaction);
      },
      async (transaction) => {
        await read(transaction, 'b');
        put('a')(transaction);
      },
    );
    expect(outcomes).toEqual(['committed', 'conflict']);
  });

  test('an absent key that appears', async () => {
    const outcomes = await race(put('n'), async (transaction) => {
      expect(await read(transaction, 'n')).toBeUndefined();
      put('z')(transaction);
    });
    expect(outcomes).toEqual(['committed', 'conflict']);
  });

  test('a key that disappears', async () => {
    const outcomes = await race(
      (transaction) => transaction.delete(bytes('a')),
      async (transaction) => {
        await read(transaction, 'a');
        put('z')(transaction);
      },
    );
    expect(outcomes).toEqual(['committed', 'conflict']);
  });
});

describe('phantoms: what a scan has looked at, and nothing else', () => {
  const cases: [string, Direction, number | undefined, string, 'committed' | 'conflict'][] = [
    ['between two entries', 'forward', undefined, 'bb', 'conflict'],
    ['before the first entry', 'forward', undefined, 'Z', 'conflict'],
    ['behind the last entry', 'forward', undefined, 'd', 'conflict'],
    ['at the exclusive end', 'forward', undefined, 'm', 'committed'],
    ['below the range', 'forward', undefined, 'A', 'committed'],
    ['in the gap up to the last key taken', 'forward', 2, 'aa', 'conflict'],
    ['the last key taken itself', 'forward', 2, 'b', 'conflict'],
    ['just above the last key taken', 'forward', 2, 'b\0', 'committed'],
    ['between two entries', 'backward', undefined, 'bb', 'conflict'],
    ['behind the last entry', 'backward', undefined, 'lll', 'conflict'],
    ['at the exclusive end', 'backward', undefined, 'm', 'committed'],
    ['before the first entry', 'backward', undefined, 'Z', 'conflict'],
    ['in the gap down to the last key taken', 'backward', 2, 'bb', 'conflict'],
    ['the last key taken itself', 'backward', 2, 'b', 'conflict'],
    ['just below the last key taken', 'backward', 2, 'az', 'committed'],
  ];
  test.each(cases)('%s (%s, limit %p): write of %p', async (_, direction, limit, key, kind) => {
    const outcomes = await race(put(key), async (transaction) => {
      await scan('M', 'm', direction, limit)(transaction);
      put('z')(transaction);
    });
    expect(outcomes).toEqual(['committed', kind]);
  });

  test('an empty range without an end', async () => {
    const outcomes = await race(put('zz'), async (transaction) => {
      expect(await scan('y', undefined, 'forward')(transaction)).toEqual([]);
      put('0')(transaction);
    });
    expect(outcomes).toEqual(['committed', 'conflict']);
  });

  test('a scan that is still open counts as far as it went', async () => {
    for (const [key, kind] of [
      ['aa', 'conflict'],
      ['bb', 'committed'],
    ] as const) {
      const outcomes = await race(put(key), async (transaction) => {
        await take(transaction.scan(range('a', 'm'), 'forward'), 2);
        put('z')(transaction);
      });
      expect(outcomes).toEqual(['committed', kind]);
    }
  });

  test('a scan that was opened and never asked has read nothing', async () => {
    const outcomes = await race(put('b'), (transaction) => {
      transaction.scan(range('a', 'm'), 'forward');
      put('z')(transaction);
    });
    expect(outcomes).toEqual(['committed', 'committed']);
  });
});

describe('no conflict', () => {
  test('blind writes of the same key, the later commit wins', async () => {
    const store = await memoryStore();
    const one = store.begin();
    const two = store.begin();
    put('a', 'one')(one);
    put('a', 'two')(two);
    expect((await two.commit()).kind).toBe('committed');
    expect((await one.commit()).kind).toBe('committed');
    expect(await read(store.snapshot(), 'a')).toBe('one');
  });

  test('a transaction that only reads', async () => {
    const outcomes = await race(put('a'), async (transaction) => {
      await read(transaction, 'a');
      await scan('a', undefined, 'forward')(transaction);
    });
    expect(outcomes).toEqual(['committed', 'committed']);
  });

  test('reading what it wrote itself', async () => {
    const outcomes = await race(put('a'), async (transaction) => {
      put('a', 'mine')(transaction);
      expect(await read(transaction, 'a')).toBe('mine');
    });
    expect(outcomes).toEqual(['committed', 'committed']);
  });

  test('a read of another key', async () => {
    const outcomes = await race(put('a'), async (transaction) => {
      await read(transaction, 'b');
      put('c')(transaction);
    });
    expect(outcomes).toEqual(['committed', 'committed']);
  });
});

describe('own writes', () => {
  test('a scan merges them over the snapshot, in both directions', async () => {
    const store = await memoryStore();
    await write(store, { a: '1', c: '3', e: '5' });
    const transaction = store.begin();
    put('b', 'B')(transaction);
    put('c', 'C')(transaction);
    transaction.delete(bytes('e'));
    put('f', 'F')(transaction);
    const expected = ['a=1', 'b=B', 'c=C', 'f=F'];
    expect(await scan('', undefined, 'forward')(transaction)).toEqual(expected);
    expect(await scan('', undefined, 'backward')(transaction)).toEqual([...expected].reverse());
    expect(await scan('b', 'f', 'forward')(transaction)).toEqual(['b=B', 'c=C']);
    expect(await read(transaction, 'e')).toBeUndefined();
    expect(await read(store.snapshot(), 'e')).toBe('5');
  });

  test('writing behind and ahead of an open scan neither skips nor repeats', async () => {
    const store = await memoryStore();
    await write(store, { a: '1', c: '3', e: '5' });
    const transaction = store.begin();
    put('b')(transaction);
    const cursor = transaction.scan(range(''), 'forward');
    const seen: string[] = [];
    for (let i = 0; cursor.next() === true; i++) {
      const key = text(cursor.key.subarray(cursor.keyFrom, cursor.keyTo));
      seen.push(key);
      transaction.put(bytes(key), bytes('again'));
      if (i < 20) transaction.put(bytes(`${key}0`), bytes('behind'));
      transaction.put(bytes(`A${i}`), bytes('before'));
    }
    expect([...new Set(seen)].sort()).toEqual(seen);
    expect(seen.filter((key) => key.length === 1)).toEqual(['a', 'b', 'c', 'e']);
  });
});

test('an older snapshot than the history covers is a conflict, not a guess', async () => {
  let now = 0;
  const { systemWorld } = await import('#base');
  const clock = { unixMs: () => now, monotonicMs: () => now };
  const store: Store = await memoryStore({ world: { ...systemWorld(), clock } });
  await write(store, { a: '1' });
  const slow = store.begin();
  await read(slow, 'a');
  put('z')(slow);
  for (let i = 0; i < 40; i++) {
    now += 5000;
    await write(store, { other: `${i}` });
  }
  expect(await slow.commit()).toEqual({ kind: 'conflict', key: undefined });
  slow.release();
});
