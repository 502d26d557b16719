/** Sorts of which only rows at far ranks are wanted: the same rows as those of the whole order. */

import { describe, expect, test } from 'bun:test';
import type { RelationPlan } from '#planner';
import type { Datum, Row, ScalarType } from '#value';
import { keysWithin, prefixesOf } from '../../src/executor/operators/sort/key-prefix.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { SpillDirectory } from '../support/spill-directory.ts';
import { arith, col, compare, filter, Parameters, project, slice, sort } from './support/plans.ts';
import { query, rowsOf, run, runNow } from './support/run.ts';

const numbers: readonly number[] = [
  ...[-Infinity, -1.7976931348623157e308, -1e300, -2, -1, -5e-324, -0, 0, 5e-324, 0.1, 1],
  ...[1 + 2 ** -52, 2, 4_294_967_296, 2 ** 53 - 1, 1e300, 1.7976931348623157e308, Infinity],
];
const integers: readonly Datum[] = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, -(2n ** 53n) - 2n];

const selection = Uint32Array.from({ length: 64 }, (_, i) => i);

function prefixes(keys: Float64Array | Datum[], descending = false): number[] {
  const out = new Uint32Array(keys.length);
  prefixesOf(keys, selection, keys.length, descending, out);
  return [...out];
}

describe('prefixes', () => {
  test('are in the order of the keys, NULL first', () => {
    const keys = [null, ...numbers, ...integers];
    const found = prefixes(keys);
    for (const [i, left] of keys.entries()) {
      for (const [j, right] of keys.entries()) {
        const isBefore = left === null || (right !== null && left <= right);
        if (isBefore) expect([left, right, found[i]! <= found[j]!]).toEqual([left, right, true]);
      }
    }
    expect(found.filter((prefix) => prefix === 0)).toHaveLength(1);
    expect(prefixes([0, -0])).toEqual(prefixes([-0, 0]));
  });

  test('of numbers that are stored as such are the same, and those of the reverse order are reversed', () => {
    expect(prefixes(Float64Array.from(numbers))).toEqual(prefixes([...numbers]));
    expect(prefixes(Float64Array.from(numbers), true)).toEqual(
      prefixes([...numbers]).map((prefix) => 2 ** 32 - 1 - prefix),
    );
  });

  test.each([false, true])(
    'have bounds that contain their keys, and no others but 0 (descending: %p)',
    (descending) => {
      const found = prefixes([...numbers], descending);
      for (const [i, number] of numbers.entries()) {
        const { min, max } = keysWithin(found[i] as number, found[i] as number, descending);
        for (const [j, other] of numbers.entries()) {
          if (other === 0 && number !== 0) continue;
          expect([number, other, other >= min && other <= max]).toEqual([
            number,
            other,
            found[i] === found[j],
          ]);
        }
      }
    },
  );
});

const types = ['int64', 'float64', 'int64'] as const;

/** The last column numbers the rows. */
function sample(count: number, keys: number): Row[] {
  const unit = seededRandom(keys);
  const pick = (type: ScalarType): Datum => {
    const roll = unit();
    if (roll < 0.05) return null;
    if (roll < 0.1) {
      const known = type === 'int64' ? integers : numbers;
      return known[Math.floor(unit() * known.length)] as Datum;
    }
    return Math.floor(unit() * keys) * (type === 'int64' ? 1 : 0.25);
  };
  return Array.from({ length: count }, (_, i) => [pick('int64'), pick('float64'), i]);
}

/** The slice of the whole order, and of the one that knows its ranks. */
function bothWays(input: RelationPlan, terms: [number, boolean?][], offset: number, limit: number) {
  return [
    slice(sort(input, terms), offset, limit),
    slice(sort(input, terms, offset + limit), offset, limit),
  ] as const;
}

describe('rows at far ranks', () => {
  test.each([
    [1_000_000, [[0], [2, true]], 9_000, 5],
    [1_000_000, [[1, true]], 12_000, 100],
    [40, [[0, true], [1]], 9_500, 300],
    [3, [[1], [0]], 15_000, 2_000],
    // The NULLs of the reverse order, and ranks behind the last row.
    [1_000, [[1, true]], 19_990, 20],
    [1_000, [[0]], 20_000, 20],
  ] as const)('of %d keys', (keys, terms, offset, limit) => {
    const p = new Parameters();
    const input = p.rows([...types], sample(20_000, keys));
    const [whole, far] = bothWays(input, terms as unknown as [number, boolean?][], offset, limit);
    const expected = rowsOf(whole, { parameters: p.values });
    expect(expected).toHaveLength(Math.min(limit, 20_000 - offset));
    expect(rowsOf(far, { parameters: p.values })).toEqual(expected);
  });

  test('of an expression above a filter and projections', () => {
    const p = new Parameters();
    const rows = sample(20_000, 5_000).map(([a, b, c]) => [
      typeof a === 'bigint' ? 1 : (a as Datum),
      b as Datum,
      c as Datum,
    ]);
    const kept = filter(
      p.rows([...types], rows),
      compare('gte', col(0, 'int64'), p.lit('int64', 100)),
    );
    const input = project(kept, col(2, 'int64'), col(1, 'float64'), col(0, 'int64'));
    const [whole, far] = bothWays(input, [[1], [0]], 9_000, 3);
    expect(rowsOf(far, { parameters: p.values })).toEqual(rowsOf(whole, { parameters: p.values }));
  });

  test('do not spill the rows around them, unless these exceed the memory too', async () => {
    for (const [keys, spills] of [
      [1_000_000, false],
      [1, true],
    ] as const) {
      const p = new Parameters();
      const input = p.rows([...types], sample(20_000, keys));
      const [whole, far] = bothWays(input, [[0], [1]], 11_000, 9);
      const space = new SpillDirectory().space({ holdBytes: 100_000 });
      const outcome = await run([query('q', far)], { parameters: p.values, spill: space });
      expect(outcome.result?.rows).toEqual(rowsOf(whole, { parameters: p.values }));
      expect(space.writtenBytes > 0).toBe(spills);
    }
  });

  test('are returned with the errors of the rows before them', () => {
    const p = new Parameters();
    const input = project(
      p.rows([...types], sample(20_000, 9)),
      arith('div', p.lit('int64', 1), col(2, 'int64')),
      col(2, 'int64'),
    );
    const [, far] = bothWays(input, [[1]], 11_000, 9);
    expect(() => runNow([query('q', far)], { parameters: p.values })).toThrow('zero');
  });
});
