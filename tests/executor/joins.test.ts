/** Hash joins whose held rows come in unlike orders, whose receivers read some columns only, and how their keys are found. */

import { describe, expect, test } from 'bun:test';
import type { Row } from '#value';
import { IntCodes } from '../../src/executor/batch/int-codes.ts';
import { aggregate, col, fold, hashJoin, Parameters, project } from './support/plans.ts';
import { rowsOf } from './support/run.ts';

const sorted = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).sort();

describe.each(['left', 'right'] as const)('%s held', (build) => {
  /** Keys that come again before others have come, and one that is NULL. */
  const left: Row[] = [1, 1, 7, null, 7, 3, 1].map((key, i) => [key, 10 + i]);
  const right: Row[] = [7, 7, 3, 1, 3, 7].map((key, i) => [key, 20 + i]);

  function joined(p: Parameters) {
    const types = ['int64', 'int64'] as const;
    return hashJoin('inner', p.rows([...types], left), p.rows([...types], right), {
      keys: [[col(0, 'int64'), col(0, 'int64')]],
      build,
    });
  }

  const pairs = left.flatMap((l) => right.filter((r) => r[0] === l[0]).map((r) => [...l, ...r]));

  test('each pair of a key that has several rows', () => {
    const p = new Parameters();
    expect(sorted(rowsOf(joined(p), { parameters: p.values }))).toEqual(sorted(pairs));
  });

  test.each([0, 1, 2, 3])('of which only column %i is read', (columnIndex) => {
    const p = new Parameters();
    const only = project(joined(p), col(columnIndex, 'int64'));
    const expected = sorted(pairs.map((pair) => [pair[columnIndex] as number]));
    expect(sorted(rowsOf(only, { parameters: p.values }))).toEqual(expected);
    const q = new Parameters();
    const counted = aggregate(joined(q), [col(columnIndex, 'int64')], [fold('count')]);
    const groups = new Map<number, number>();
    for (const pair of pairs)
      groups.set(pair[columnIndex] as number, (groups.get(pair[columnIndex] as number) ?? 0) + 1);
    expect(sorted(rowsOf(counted, { parameters: q.values }))).toEqual(sorted([...groups]));
  });
});

describe.each(['inner', 'left'] as const)('groups by columns of the build side, %s', (join) => {
  const types = ['int64', 'text', 'float64', 'int64'] as const;
  const pick = [0, -0, 1.5, null];
  const dimension = (i: number, id: number | null): Row => [
    id,
    i % 7 === 3 ? null : `kind ${i % 5}`,
    pick[i % 4] as number | null,
    i % 6 === 0 ? 9007199254740993n : i % 3,
  ];
  const unique = Array.from({ length: 40 }, (_, i) => dimension(i, i === 9 ? null : i));
  const repeated = [...unique, ...Array.from({ length: 9 }, (_, i) => dimension(i + 50, 3 * i))];
  const facts = Array.from({ length: 3000 }, (_, i): Row => [i % 11 === 0 ? null : i % 47, i / 8]);

  /** The rows of a join, which reads all of its columns, grouped one by one. */
  function grouped(rows: readonly Row[], columnIndexes: readonly number[]): Row[] {
    const groups = new Map<string, { key: Row; count: number; sum: number }>();
    for (const row of rows) {
      // -0 and 0 are one group.
      const key = columnIndexes.map((c) => (row[c] === 0 ? 0 : row[c])) as Row;
      const text = key.map((value) => `${typeof value} ${value}`).join();
      const group = groups.get(text) ?? { key, count: 0, sum: 0 };
      groups.set(text, group);
      group.count++;
      group.sum += row[1] as number;
    }
    return [...groups.values()].map(({ key, count, sum }) => [...key, count, sum]);
  }

  const text = (rows: readonly Row[]) =>
    rows
      .map((row) => row.map((value) => `${typeof value} ${value === 0 ? 0 : value}`).join())
      .sort();

  test.each([
    ['a text', [3]],
    ['a float', [4]],
    ['an integer', [5]],
    ['several columns', [5, 3, 4, 0]],
    ['a column twice', [3, 3]],
  ] as const)('%s', (_, columnIndexes) => {
    for (const dimensions of [unique, repeated]) {
      const of = (plan: (joined: ReturnType<typeof hashJoin>) => ReturnType<typeof aggregate>) => {
        const p = new Parameters();
        const sides = [
          p.rows(['int64', 'float64'], facts),
          p.rows([...types], dimensions),
        ] as const;
        const joined = hashJoin(join, ...sides, { keys: [[col(0, 'int64'), col(0, 'int64')]] });
        return rowsOf(plan(joined), { parameters: p.values });
      };
      const columnTypes = ['int64', 'float64', ...types] as const;
      const keys = columnIndexes.map((c) => col(c, columnTypes[c] as 'text'));
      const folds = [fold('count'), fold('sum', col(1, 'float64'))];
      const rows = of((joined) => aggregate(joined, keys, folds));
      expect(text(rows)).toEqual(
        text(
          grouped(
            of((joined) => joined),
            columnIndexes,
          ),
        ),
      );
    }
  });

  test('a column that is also folded', () => {
    const p = new Parameters();
    const sides = [p.rows(['int64', 'float64'], facts), p.rows([...types], unique)] as const;
    const joined = hashJoin(join, ...sides, { keys: [[col(0, 'int64'), col(0, 'int64')]] });
    const plan = aggregate(joined, [col(3, 'text')], [fold('max', col(3, 'text'))]);
    const rows = rowsOf(plan, { parameters: p.values });
    expect(rows.length).toBeGreaterThan(4);
    for (const [key, greatest] of rows) expect(greatest).toBe(key as string);
  });
});

test.each([
  ['close together', (i: number) => i % 97],
  ['far apart', (i: number) => (i % 97) * 1e11 - 5e12],
  ['both', (i: number) => (i % 2 === 0 ? i % 97 : -(i % 97) * 1e9)],
])('numbers that are found in one loop are those that are found one by one: %s', (_, keyOf) => {
  const codes = new IntCodes();
  for (let i = 0; i < 60; i++) codes.findOrAdd(keyOf(i), codes.size);
  const keys = Float64Array.from({ length: 200 }, (__, i) => keyOf(i));
  const selection = Uint32Array.from({ length: 100 }, (__, i) => 2 * i + 1);
  const out = new Int32Array(200).fill(-7);
  codes.findAll(keys, selection, 100, out);
  const one = Array.from(keys, (key, i) => (i % 2 === 1 ? codes.find(key) : -7));
  expect(Array.from(out)).toEqual(one);
  expect(new Set(out).size).toBeGreaterThan(20);
});
