/** Sketches: what they say of values whose counts are known. */

import { describe, expect, test } from 'bun:test';
import { ByteString, compareNumbers, type Scalar } from '#value';
import { DistinctSketch } from '../../../src/statistics/sketch/distinct-sketch.ts';
import { MostCommon } from '../../../src/statistics/sketch/most-common.ts';
import { Reservoir } from '../../../src/statistics/sketch/reservoir.ts';
import { hashOf, hashOfPair } from '../../../src/statistics/sketch/value-hash.ts';

/** Linear congruential: the same numbers each time. */
function random(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('hashes', () => {
  test('of different values differ, of equal ones not', () => {
    const values: NonNullable<Scalar>[] = [
      ...Array.from({ length: 20_000 }, (_, i) => i - 10_000),
      ...Array.from({ length: 5_000 }, (_, i) => i + 0.5),
      ...Array.from({ length: 5_000 }, (_, i) => 2n ** 60n + BigInt(i)),
      ...Array.from({ length: 20_000 }, (_, i) => `user ${i}`),
      ...Array.from({ length: 5_000 }, (_, i) => new ByteString(Uint8Array.of(i >> 8, i, 3))),
      true,
      false,
      '',
    ];
    expect(new Set(values.map(hashOf)).size).toBe(values.length);
    expect(hashOf(-0)).toBe(hashOf(0));
    expect(hashOf(new ByteString(Uint8Array.of(1)))).toBe(hashOf(new ByteString(Uint8Array.of(1))));
    for (const value of values) expect(Number.isSafeInteger(hashOf(value))).toBe(true);
  });

  test('of pairs know which member is first', () => {
    const of = (a: number, b: number) => hashOfPair(hashOfPair(0, hashOf(a)), hashOf(b));
    const hashes = new Set<number>();
    for (let a = 0; a < 100; a++) for (let b = 0; b < 100; b++) hashes.add(of(a, b));
    expect(hashes.size).toBe(10_000);
    expect(of(1, 2)).toBe(of(1, 2));
  });
});

describe('different values', () => {
  const sketchOf = (values: readonly number[], pieceRows = values.length) => {
    const sketch = new DistinctSketch();
    values.forEach((value, i) => {
      sketch.add(hashOf(value), 1 + Math.floor(i / pieceRows));
    });
    return sketch;
  };
  const ids = (count: number) => Array.from({ length: count }, (_, i) => i);

  test('up to 4,096 are counted', () => {
    const sketch = sketchOf([...ids(4_096), ...ids(4_096)]);
    expect(sketch.isExact).toBe(true);
    expect(sketch.count).toBe(4_096);
    expect(sketch.inAll(1)).toBe(4_096);
  });

  test('more are estimated, for the report by 256 registers', () => {
    const sketch = sketchOf(ids(50_000));
    expect(sketch.isExact).toBe(false);
    expect(sketch.count / 50_000).toBeWithin(0.8, 1.2);
    expect(sketch.inAll(1) / 50_000).toBeWithin(0.94, 1.06);
  });

  test('of a sample of unique values all rows differ', () => {
    expect(sketchOf(ids(50_000), 781).inAll(0.05) / 1_000_000).toBeWithin(0.9, 1.1);
  });

  test('of a sample that has met all values, no more are taken to be there', () => {
    const values = ids(50_000).map((i) => (i * 7_919) % 200);
    expect(sketchOf(values, 781).inAll(0.05)).toBeCloseTo(200, 0);
  });

  test('of values that lie side by side, those of unread parts are taken to be others', () => {
    // Ten rows of each of 100,000 values, in order, of which one piece in twenty is read.
    const pieces = Array.from({ length: 64 }, (_, p) =>
      Array.from({ length: 781 }, (_, i) => Math.floor((p * 15_625 + i) / 10)),
    );
    expect(sketchOf(pieces.flat(), 781).inAll(0.05) / 100_000).toBeWithin(0.9, 1.1);
  });

  test('of values that are spread, the unmet ones follow from those met once', () => {
    const unit = random();
    const values = ids(50_000).map(() => Math.floor(unit() * 100_000));
    expect(sketchOf(values, 781).inAll(0.05) / 100_000).toBeWithin(0.8, 1.25);
  });
});

describe('common values', () => {
  const counted = (values: readonly string[]) => {
    const common = new MostCommon<string>();
    for (const value of values) if (!common.count(hashOf(value))) common.add(hashOf(value), value);
    return common.values;
  };

  test('few are counted exactly', () => {
    expect(counted(['a', 'b', 'a', 'c', 'a', 'b'])).toEqual([
      { value: 'a', frequency: 3, maximumError: 0 },
      { value: 'b', frequency: 2, maximumError: 0 },
      { value: 'c', frequency: 1, maximumError: 0 },
    ]);
  });

  test('a frequent one among many is found, within its error', () => {
    const values = Array.from({ length: 10_000 }, (_, i) => (i % 5 === 0 ? 'often' : `rare ${i}`));
    const found = counted(values);
    expect(found.length).toBe(32);
    const [first] = found;
    expect(first?.value).toBe('often');
    expect(first?.frequency).toBeGreaterThanOrEqual(2_000);
    expect((first?.frequency ?? 0) - (first?.maximumError ?? 0)).toBeLessThanOrEqual(2_000);
  });
});

test('bounds of ranges hold as many values each', () => {
  const reservoir = new Reservoir<number>(random());
  for (let i = 0; i < 100_000; i++) reservoir.add((i * 7_919) % 100_000);
  const bounds = reservoir.bounds(compareNumbers);
  expect(bounds.length).toBe(65);
  bounds.forEach((bound, i) => {
    expect(Math.abs(bound - (i * 100_000) / 64)).toBeLessThan(5_000);
  });
  expect(new Reservoir<number>(random()).bounds(compareNumbers)).toEqual([]);
});
