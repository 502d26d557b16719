/** Values known by number: each column of few values is numbered as its values would be. */

import { expect, test } from 'bun:test';
import type { Datum } from '#value';
import { KeyTable } from '../../src/executor/batch/key-table.ts';
import { ValueCodes } from '../../src/executor/batch/value-codes.ts';
import { SourceMemo } from '../../src/executor/batch/value-source.ts';
import { denseSelection } from '../../src/executor/batch/vector.ts';

const text = { kind: 'text' } as const;

/** Batches of rows by number, of two dictionaries that have some texts in common. */
const dictionaries = [
  ['pear', 'fig', 'plum'],
  ['plum', 'kiwi', 'pear', 'sloe'],
] as const;

function batchOf(which: number, seed: number): { numbers: Int32Array; values: Datum[] } {
  const dictionary = dictionaries[which] as readonly string[];
  const numbers = Int32Array.from({ length: 50 }, (_, i) =>
    (i * seed) % 7 === 0 ? -1 : (i * seed) % dictionary.length,
  );
  return {
    numbers,
    values: Array.from(numbers, (at) => (at < 0 ? null : (dictionary[at] as string))),
  };
}

test.each([true, false])('codes are those of the values; NULL has one: %p', (nullMatches) => {
  const plain = new ValueCodes(text, nullMatches);
  const sourced = new ValueCodes(text, nullMatches);
  for (const [which, seed] of [
    [0, 1],
    [0, 3],
    [1, 1],
    [0, 5],
    [1, 2],
    [1, 11],
  ] as const) {
    const { numbers, values } = batchOf(which, seed);
    const source = { identity: dictionaries[which], numbers, count: dictionaries[which].length };
    const expected = new Int32Array(50);
    const codes = new Int32Array(50);
    plain.insert(values, denseSelection, 50, expected);
    sourced.insert(values, denseSelection, 50, codes, source);
    expect(codes).toEqual(expected);
    expect(sourced.size).toBe(plain.size);
  }
  expect(sourced.ownBytes).toBeGreaterThan(plain.ownBytes);
});

test('keys of several columns, of which one has a source', () => {
  const plain = new KeyTable([text, text], true);
  const sourced = new KeyTable([text, text], true);
  for (const which of [0, 1, 0]) {
    const { numbers, values } = batchOf(which, 3);
    const other = values.toReversed();
    const source = { identity: dictionaries[which] as object, numbers, count: 4 };
    const expected = new Int32Array(50);
    const codes = new Int32Array(50);
    plain.insert([other, values], denseSelection, 50, expected);
    sourced.insert([other, values], denseSelection, 50, codes, [undefined, source]);
    expect(codes).toEqual(expected);
  }
});

test('a memo begins anew with other values, grows with the same ones, and waits for enough rows of many', () => {
  const memo = new SourceMemo();
  const numbers = new Int32Array(1);
  const first = { identity: {}, numbers, count: 300 };
  const known = memo.of(first, 1) as Int32Array;
  known[299] = 7;
  expect(memo.of(first, 1)?.[299]).toBe(7);
  expect(memo.of({ ...first, count: 5_000 }, 1)?.[299]).toBe(7);
  expect(memo.of({ ...first, count: 5_000 }, 1)?.length).toBeGreaterThanOrEqual(5_000);
  expect(memo.of({ ...first, identity: {} }, 1)?.[299]).toBe(0);
  expect(memo.bytes).toBeGreaterThanOrEqual(5_000 * 4);
  const many = { identity: {}, numbers, count: 2 ** 16 + 16 };
  expect(memo.of(many, 4_096)).toBe(undefined);
  expect(memo.of(many, 1)?.length).toBe(many.count + 1);
  expect(memo.bytes).toBe((many.count + 1) * 4);
  expect(memo.of({ ...many, identity: {} }, 4_096)).toBe(undefined);
  expect(memo.bytes).toBe(0);
});
