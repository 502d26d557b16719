/** The cache of accepted headers. */

import { expect, test } from 'bun:test';
import { CredentialCache } from '#authentication';
import { seededRandom } from '../../support/seeded-random.ts';

test('a value is found by exactly its header', () => {
  const cache = new CredentialCache<number>(7n);
  cache.set('Bearer abc', 1);
  expect(cache.find('Bearer abc')).toBe(1);
  for (const other of ['bearer abc', 'Bearer ab', 'Bearer abcd', 'Bearer abd', '']) {
    expect(cache.find(other)).toBeUndefined();
  }
});

test('a header with the hash of another one is not found', () => {
  const { wyhash } = Bun.hash;
  try {
    Bun.hash.wyhash = () => 1n;
    const cache = new CredentialCache<number>(7n);
    cache.set('Bearer abc', 1);
    expect([cache.find('Bearer abd'), cache.find('Bearer ab'), cache.find('Bearer abc')]).toEqual([
      undefined,
      undefined,
      1,
    ]);
    cache.set('Bearer abd', 2);
    expect([cache.find('Bearer abc'), cache.find('Bearer abd'), cache.size]).toEqual([
      undefined,
      2,
      1,
    ]);
  } finally {
    Bun.hash.wyhash = wyhash;
  }
});

test('at most 10,000 headers are stored', () => {
  const cache = new CredentialCache<number>(7n);
  for (let i = 0; i < 10_050; i++) cache.set(`Bearer ${i}`, i);
  expect(cache.size).toBe(10_000);
  expect([cache.find('Bearer 49'), cache.find('Bearer 50')]).toEqual([undefined, 50]);
});

test('long headers fill at most 16 MiB', () => {
  const cache = new CredentialCache<number>(7n);
  for (let i = 0; i < 2000; i++) cache.set(`Bearer ${String(i).padStart(8192, 'x')}`, i);
  const entryBytes = 1024 + 3 * (8192 + 'Bearer '.length);
  expect(cache.size).toBe(Math.floor((16 << 20) / entryBytes));
});

test('a header that no request can have is not stored', () => {
  const cache = new CredentialCache<number>(7n);
  cache.set('x'.repeat(16_385), 1);
  expect(cache.size).toBe(0);
});

/** A model with a map that is ordered from the least to the most recently used header. */
test('the least recently used header is removed', () => {
  const random = seededRandom(1);
  const cache = new CredentialCache<number>(7n);
  const model = new Map<string, number>();
  const use = (header: string, value: number) => {
    model.delete(header);
    model.set(header, value);
    if (model.size > 10_000) model.delete(model.keys().next().value as string);
  };
  for (let i = 0; i < 60_000; i++) {
    const header = `Bearer ${Math.floor(random() * 12_000)}`;
    const chance = random();
    const expected = model.get(header);
    if (chance < 0.5) {
      expect(cache.find(header)).toBe(expected);
      if (expected !== undefined) use(header, expected);
    } else if (chance < 0.52) {
      cache.delete(header);
      model.delete(header);
    } else {
      cache.set(header, i);
      use(header, i);
    }
  }
  expect(cache.size).toBe(model.size);
  for (const [header, value] of [...model]) expect(cache.find(header)).toBe(value);
});
