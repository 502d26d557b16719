/** Numbers of values and keys: right beyond the size at which a table becomes many, and refused beyond what they can tell apart. */

import { expect, test } from 'bun:test';
import type { Datum } from '#value';
import { datumBytes, rowBytes } from '../../src/executor/batch/datum-bytes.ts';
import { IdentityCodes } from '../../src/executor/batch/identity-codes.ts';
import { IntCodes } from '../../src/executor/batch/int-codes.ts';
import { KeyTable } from '../../src/executor/batch/key-table.ts';
import { arrayBytes } from '../../src/executor/batch/memory-costs.ts';
import { ValueCodes } from '../../src/executor/batch/value-codes.ts';
import { scalar } from './support/plans.ts';
import { failureOf } from './support/run.ts';

const dense = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);

test.each([1, 8_192, 9_000])('-0 is 0 among %d keys', (count) => {
  for (const [added, asked] of [
    [0, -0],
    [-0, 0],
  ] as const) {
    const codes = new IdentityCodes();
    for (let i = 1; i < count; i++) codes.add(i + 0.5, i);
    codes.add(added, 0);
    for (let i = 0; i < 8_192; i++) codes.add(i + 0.25, count + i);
    expect([codes.get(added), codes.get(asked)]).toEqual([0, 0]);
  }
});

test('integers keep their numbers when one table becomes many', () => {
  const codes = new IntCodes();
  const key = (i: number) => (i % 2 === 0 ? i : -i * 2 ** 20);
  const count = 300_000;
  for (let i = 0; i < count; i++) expect(codes.findOrAdd(key(i), codes.size)).toBe(i);
  const wrong = Array.from({ length: count }, (_, i) => i).filter(
    (i) => codes.find(key(i)) !== i || codes.findOrAdd(key(i), codes.size) !== i,
  );
  expect(wrong).toEqual([]);
  expect([codes.size, codes.find(1.5e9 + 7)]).toEqual([count, -1]);
});

test('so do texts and other keys', () => {
  const codes = new IdentityCodes();
  const keys = Array.from({ length: 30_000 }, (_, i) =>
    i % 3 === 0 ? `${'x'.repeat(i % 40)}${i}` : i % 3 === 1 ? i / 7 : BigInt(i) << 60n,
  );
  for (const [i, key] of keys.entries()) codes.add(key, i);
  expect(keys.filter((key, i) => codes.get(key) !== i)).toEqual([]);
  expect([codes.size, codes.get('absent'), codes.get(null)]).toEqual([
    30_000,
    undefined,
    undefined,
  ]);
});

test('more values of one column than pairs can tell apart are refused, and not taken for each other', () => {
  const types = [scalar('int64'), scalar('int64')];
  const groups = (columns: Datum[][], bound: number): number[] => {
    const table = new KeyTable(types, true, bound);
    const count = columns[0]?.length ?? 0;
    const out = new Int32Array(count);
    table.insert(columns, dense(count), count, out);
    return [...out];
  };
  const left = [0, 1, 2, 3, 0, 1, 2, 3];
  expect(groups([left, [0, 0, 0, 0, 1, 2, 3, 0]], 4)).toEqual([0, 1, 2, 3, 4, 5, 6, 3]);
  for (const columns of [
    [left, [0, 1, 2, 3, 4, 4, 4, 4]],
    [
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
      [0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
  ]) {
    expect(failureOf(() => groups(columns, 4))).toMatch(/^memory_limit.*distinct values/);
  }
});

/** An array that says how often somebody looks into it. */
function watched(rows: number): { readonly array: Datum; readonly looks: () => number } {
  let looks = 0;
  const row = new Proxy([1, 'text'], {
    get(target, member) {
      looks++;
      return Reflect.get(target, member);
    },
  });
  return { array: Array.from({ length: rows }, () => row) as unknown as Datum, looks: () => looks };
}

test('the size of a shared array is computed once, however many rows hold it', () => {
  const { array, looks } = watched(1000);
  const bytes = datumBytes(array);
  const before = looks();
  for (let i = 0; i < 1000; i++) expect(rowBytes([i, array])).toBe(arrayBytes(2) + bytes);
  expect(looks()).toBe(before);
  expect(bytes).toBeGreaterThan(1000 * 50);
});

test('so is its identity', () => {
  const { array, looks } = watched(100);
  const columns = [
    { name: 'a', type: scalar('int64'), nullable: false },
    { name: 'b', type: scalar('text'), nullable: false },
  ];
  const codes = new ValueCodes({ kind: 'array', columns }, true);
  const out = new Int32Array(1000);
  codes.insert([array], dense(1), 1, out);
  const before = looks();
  codes.insert(new Array<Datum>(1000).fill(array), dense(1000), 1000, out);
  codes.find(new Array<Datum>(1000).fill(array), dense(1000), 1000, out);
  expect([looks(), codes.size]).toEqual([before, 1]);
});
