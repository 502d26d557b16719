/** Numbers of rows and arrays: by row identity, and in time and memory of what there is of them, however often it is shared. */

import { expect, test } from 'bun:test';
import type { Datum, DatumType, Row } from '#value';
import { codesMax, pairOf } from '../../src/executor/batch/pair.ts';
import { ValueCodes } from '../../src/executor/batch/value-codes.ts';
import { isSameDatum } from '../support/same-datum.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { scalar } from './support/plans.ts';
import { failureOf } from './support/run.ts';

const column = (name: string, type: DatumType) => ({ name, type, nullable: true });

const inner: DatumType = {
  kind: 'row',
  columns: [column('n', scalar('int64')), column('s', scalar('text'))],
};
const outer: DatumType = {
  kind: 'row',
  columns: [
    column('one', inner),
    column('many', { kind: 'array', columns: inner.columns }),
    column('x', scalar('float64')),
  ],
};

function valuesOf(count: number): Datum[] {
  const random = seededRandom(7);
  const below = (n: number) => Math.floor(random() * n);
  const small = (): Datum =>
    below(5) === 0 ? null : [below(3) === 0 ? null : below(3), ['', 'a', 'aa'][below(3)] as string];
  const row = (): Row => [below(3), below(2) === 0 ? 'b' : null];
  const many = (): Datum => (below(4) === 0 ? null : Array.from({ length: below(3) }, row));
  return Array.from({ length: count }, () =>
    below(9) === 0 ? null : [small(), many(), [0, -0, 1.5][below(3)] as number],
  );
}

test('two values have one number exactly when they are identical', () => {
  const values = valuesOf(600);
  const codes = new ValueCodes(outer, true);
  const numbers = values.map((value) => codes.codeOf(value, true));
  let same = 0;
  for (const [i, left] of values.entries()) {
    for (const [j, right] of values.entries()) {
      const isSame = isSameDatum(outer, left, right);
      if (isSame !== (numbers[i] === numbers[j])) throw new Error(`values ${i} and ${j}`);
      if (isSame && i < j) same++;
    }
  }
  expect(same).toBeGreaterThan(100);
  expect(new Set(numbers).size).toBe(codes.size);
  expect(Math.max(...numbers)).toBe(codes.size - 1);
});

test('what is only looked for is found by identity, and nothing is added for it', () => {
  const codes = new ValueCodes(outer, true);
  const known: Datum = [[1, 'a'], [[1, 'b']], 0];
  const code = codes.codeOf(known, true);
  const { bytes } = codes;
  expect(codes.codeOf([[1, 'a'], [[1, 'b']], -0], false)).toBe(code);
  for (const unknown of [
    [[2, 'a'], [[1, 'b']], 0],
    [[1, 'a'], [[1, 'c']], 0],
    [
      [1, 'a'],
      [
        [1, 'b'],
        [1, 'b'],
      ],
      0,
    ],
    [[1, 'a'], [], 0],
    [null, [[1, 'b']], 0],
    [[1, 'a'], [[1, 'b']], 2],
  ] as Datum[]) {
    expect(codes.codeOf(unknown, false)).toBe(-1);
  }
  expect(codes.codeOf(null, false)).toBe(-1);
  expect(codes.size).toBe(1);
  expect(codes.bytes).toBeLessThan(bytes + 1000);
});

test('an empty array is another value than a NULL one, and than a row of nothing', () => {
  const codes = new ValueCodes({ kind: 'array', columns: inner.columns }, true);
  const numbers = [[], null, [[null, null]], [], null].map((value) => codes.codeOf(value, true));
  expect(numbers).toEqual([0, 1, 2, 0, 1]);
});

test('pairs are told apart up to the bound of both numbers, and refused from there on', () => {
  expect(pairOf(0, codesMax - 1)).not.toBe(pairOf(1, 0));
  expect(Number.isSafeInteger(pairOf(codesMax * 2 - 1, codesMax - 1))).toBe(true);
  for (const [left, right] of [
    [0, codesMax],
    [codesMax * 2, 0],
  ] as const) {
    expect(failureOf(() => pairOf(left, right))).toMatch(/^memory_limit/);
  }
});

test('rows that nest shared rows twice, sixty levels deep', () => {
  const levels = 60;
  let type: DatumType = { kind: 'row', columns: [column('n', scalar('int64'))] };
  let left: Row = [1];
  let right: Row = [2];
  for (let i = 0; i < levels; i++) {
    type = { kind: 'row', columns: [column('x', type), column('y', type)] };
    left = [left, left];
    right = [right, right];
  }
  const codes = new ValueCodes(type, true);
  expect([left, right, [...left], left].map((value) => codes.codeOf(value, true))).toEqual([
    0, 1, 0, 0,
  ]);
  expect(codes.bytes).toBeLessThan(2 ** 20);
});
