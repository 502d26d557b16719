/** Codes of integers: every key keeps the code it got first, however many there are, and the memory that they take is told. */

import { describe, expect, test } from 'bun:test';
import { IntCodes } from '../../src/executor/batch/int-codes.ts';
import { IntTable } from '../../src/executor/batch/int-table.ts';
import { denseSelection } from '../../src/executor/batch/vector.ts';

const spread = (i: number) => ((i * 7919) % 100_003) * (i % 3 === 0 ? -4_294_967_296 : 1);

test('a table finds what it was given, with negative keys and keys beyond 32 bits, and grows', () => {
  const table = new IntTable();
  const known = new Map<number, number>();
  for (let i = 0; i < 5000; i++) {
    const key = spread(i);
    expect(table.find(key)).toBe(known.get(key) ?? -1);
    const code = known.get(key) ?? known.size;
    expect(table.findOrAdd(key, known.size)).toBe(code);
    known.set(key, code);
  }
  expect(table.size).toBe(known.size);
  const visited = new Map<number, number>();
  table.each((key, code) => visited.set(key, code));
  expect(visited).toEqual(known);
  // Twelve bytes a slot, at most half of them taken, and a table doubles.
  expect(table.bytes).toBeGreaterThanOrEqual(known.size * 2 * 12);
  expect(table.bytes).toBeLessThanOrEqual(known.size * 4 * 12);
});

test('zero and the safe integers at both ends are keys like any other', () => {
  const codes = new IntCodes();
  const keys = [0, -1, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 32, 2 ** 31];
  for (const key of keys) expect(codes.find(key)).toBe(-1);
  keys.forEach((key, i) => {
    expect(codes.findOrAdd(key, i)).toBe(i);
  });
  keys.forEach((key, i) => {
    expect(codes.find(key)).toBe(i);
    expect(codes.findOrAdd(key, 99)).toBe(i);
  });
  expect(codes.size).toBe(keys.length);
});

test('a table that is split into many keeps every code, and tells the memory of all of them', () => {
  const codes = new IntCodes();
  const small = codes.bytes;
  const count = 2 ** 17 + 5000;
  const keyOf = (i: number) => i * -3 - 1;
  for (let i = 0; i < count; i++) codes.findOrAdd(keyOf(i), i);
  expect(codes.size).toBe(count);
  let wrong = 0;
  for (let i = 0; i < count; i++) {
    if (codes.find(keyOf(i)) !== i) wrong++;
    if (codes.find(keyOf(i) + 1) !== -1) wrong++;
  }
  expect(wrong).toBe(0);
  expect(small).toBeLessThan(1000);
  expect(codes.bytes).toBeGreaterThanOrEqual(count * 2 * 12);
  expect(codes.bytes).toBeLessThanOrEqual(count * 6 * 12);
});

describe('keys that lie close together stand in an array', () => {
  /** Some that are close, some far away, in an order that has the far ones among them. */
  const orders: Record<string, (i: number) => number> = {
    'counted up': (i) => i,
    'counted down': (i) => 99_999 - i,
    'here and there': (i) => (i * 7919) % 100_003,
    'with far ones between': (i) => (i % 5 === 0 ? i * 1e9 : (i * 7919) % 100_003),
    'far ones first': (i) => (i < 40_000 ? -1 - i : i - 40_000),
    'close ones late': (i) => (i < 90_000 ? 1e6 + i * 64 : i - 90_000),
    'every hundredth': (i) => i * 100,
  };
  test.each(Object.keys(orders))('%s', (name) => {
    const codes = new IntCodes();
    const known = new Map<number, number>();
    let wrong = 0;
    for (let i = 0; i < 100_000; i++) {
      const key = orders[name]?.(i) as number;
      if (codes.find(key) !== (known.get(key) ?? -1)) wrong++;
      const code = known.get(key) ?? known.size;
      if (codes.findOrAdd(key, known.size) !== code) wrong++;
      known.set(key, code);
    }
    for (const [key, code] of known) if (codes.find(key) !== code) wrong++;
    expect(wrong).toBe(0);
    expect(codes.size).toBe(known.size);
    expect(codes.find(-1) === -1).toBe(!known.has(-1));
    expect(codes.find(0.5 + 2 ** 32)).toBe(-1);
  });

  test('which takes four bytes a place, and no more places than the keys are worth', () => {
    const close = new IntCodes();
    for (let i = 0; i < 100_000; i++) close.findOrAdd((i * 7919) % 100_003, i);
    expect(close.bytes).toBeLessThanOrEqual(2 ** 17 * 4 + 1000);
    const few = new IntCodes();
    for (let i = 0; i < 100; i++) few.findOrAdd(i * 1e5, i);
    expect(few.bytes).toBeLessThanOrEqual(100 * 256 * 2 * 4 + 256 * 12);
    const many = new IntCodes();
    for (let i = 0; i < 20_000; i++) many.findOrAdd(i * 100, i);
    expect(many.bytes).toBeLessThanOrEqual(20_000 * 16 * 2 * 4 + 2 ** 16 * 2 * 12);
  });

  test('which is made as long as there are few to take over', () => {
    const codes = new IntCodes();
    for (let i = 0; i < 70_000; i++) codes.findOrAdd(1e9 + i, i);
    const { bytes } = codes;
    codes.findOrAdd(5, codes.size);
    expect(codes.bytes).toBe(bytes);
  });
});

describe('rows whose keys are known are listed, with their codes', () => {
  const tables: Record<string, { readonly keys: (i: number) => number; readonly count: number }> = {
    'many of an array': { keys: (i) => i, count: 900 },
    'few of a large array': { keys: (i) => i * 97, count: 400 },
    hashed: { keys: (i) => -1 - i * 1e6, count: 900 },
    none: { keys: (i) => i, count: 0 },
  };
  // Around the end of the array, beyond 32 bits with the same low half, and no number of the table.
  const odd = [-1, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 32 + 97, 2 ** 53 - 1, 131_072, 65_536];
  test.each(Object.keys(tables))('%s', (name) => {
    const { keys, count } = tables[name] as (typeof tables)[string];
    const codes = new IntCodes();
    for (let i = 0; i < count; i++) codes.findOrAdd(keys(i), codes.size);
    const asked = Float64Array.from(
      { length: 1024 },
      (_, i) => odd[i] ?? keys((i * 7) % 1000) + (i % 3),
    );
    const some = Uint32Array.from({ length: 512 }, (_, i) => 2 * i);
    for (const [selection, length] of [
      [denseSelection, 1024],
      [some, 512],
    ] as const) {
      const out = new Int32Array(1024);
      const found = new Uint32Array(1024);
      const rows = codes.findKnown(asked, selection, length, out, found);
      const expected = [...selection.subarray(0, length)].filter(
        (row) => codes.find(asked[row] as number) >= 0,
      );
      expect(rows).toBe(expected.length);
      if (rows < length) expect([...found.subarray(0, rows)]).toEqual(expected);
      for (const row of expected) expect(out[row]).toBe(codes.find(asked[row] as number));
      expect(rows > 0).toBe(count > 0);
    }
  });
});

test.each([0, 1, 500, 1023, undefined])('the first row without a code is row %p', (missing) => {
  const codes = new IntCodes();
  for (let key = 0; key < 600; key++) codes.findOrAdd(key * 2, codes.size);
  const keys = Float64Array.from({ length: 1024 }, (_, row) =>
    row === missing ? 3 : (row % 600) * 2,
  );
  keys[1022] = 100_000;
  const out = new Int32Array(1024);
  const found = new Uint32Array(1024);
  for (const count of [1022, 1024]) {
    const expected = [...denseSelection.subarray(0, count)].filter(
      (row) => codes.find(keys[row] as number) >= 0,
    );
    const rows = codes.findKnown(keys, denseSelection, count, out, found);
    expect(rows).toBe(expected.length);
    if (rows < count) expect([...found.subarray(0, rows)]).toEqual(expected);
    for (const row of expected) expect(out[row]).toBe(codes.find(keys[row] as number));
  }
});

describe('a filter of the keys', () => {
  const rows = (codes: IntCodes, asked: Float64Array) => {
    const some = Uint32Array.from({ length: 512 }, (_, i) => 2 * i);
    return [denseSelection, some].map((selection) => {
      const count = selection === denseSelection ? 1024 : 512;
      const out = new Int32Array(1024).fill(-1);
      const found = new Uint32Array(1024);
      const kept = codes.findKnown(asked, selection, count, out, found);
      return [...(kept === count ? selection : found).subarray(0, kept)].map((row) => [
        row,
        out[row],
      ]);
    });
  };

  /** 1,024 keys at most, of which few are in the table; some differ from keys only beyond 32 bits. */
  const asked = (base: number, step: number) =>
    Float64Array.from({ length: 1024 }, (_, i) => {
      if (i % 8 === 7) return base - i;
      return base + i * (step / 4) + (i % 8 === 4 ? 2 ** 32 : 0);
    });

  // The distances below and above the limits of sixteen and 256 integers for each key.
  test.each([
    ['dense', 0, 15, false],
    ['sparse in an array', 0, 64, true],
    ['sparse and hashed', 0, 240, true],
    ['too sparse', 0, 260, false],
    ['far from zero', 5e12, 64, true],
    ['below zero', -3e9, 64, true],
    ['dense and far from zero', 5e12, 15, false],
  ] as const)('finds what is found without it: %s', (_, base, step, pays) => {
    const codes = new IntCodes();
    for (let i = 0; i < 20_000; i++) codes.findOrAdd(base + i * step, codes.size);
    const keys = asked(base, step);
    const expected = rows(codes, keys);
    const { bytes } = codes;
    expect(codes.filterBytes > 0).toBe(pays);
    if (pays) expect(codes.filterBytes).toBeGreaterThan((19_999 * step) / 8);
    expect(codes.filterBytes).toBeLessThan(20_000 * 32 + 32);
    codes.addFilter();
    expect(codes.bytes).toBe(bytes);
    expect(rows(codes, keys)).toEqual(expected);
    for (const [row, code] of expected.flat()) {
      expect(codes.find(keys[row as number] as number)).toBe(code as number);
    }
    expect(expected[0]?.length).toBeGreaterThan(step % 4 === 0 ? 100 : 20);
  });

  test('is lost with a new key, and pays neither for few keys nor for very many', () => {
    const codes = new IntCodes();
    expect(codes.filterBytes).toBe(0);
    codes.addFilter();
    for (let i = 0; i < 1000; i++) codes.findOrAdd(i * 100, i);
    codes.addFilter();
    codes.findOrAdd(7, 1000);
    codes.addFilter();
    codes.findOrAdd(99_999 * 100, 1001);
    const keys = Float64Array.from({ length: 1024 }, (_, i) => (i === 5 ? 99_999 * 100 : i - 3));
    expect(rows(codes, keys)[0]).toEqual([
      [3, 0],
      [5, 1001],
      [10, 1000],
      [103, 1],
      ...[203, 303, 403, 503, 603, 703, 803, 903, 1003].map((row, i) => [row, i + 2]),
    ]);
    const few = new IntCodes();
    for (let i = 0; i < 100; i++) few.findOrAdd(i * 100, i);
    expect(few.filterBytes).toBe(0);
    const many = new IntCodes();
    for (let i = 0; i < 2 ** 18 + 1; i++) many.findOrAdd(i * 40, i);
    expect(many.filterBytes).toBe(0);
  });
});

test('an array grows to millions of places for keys in order, and no further', () => {
  const codes = new IntCodes();
  for (let i = 0; i < 1_000_000; i++) codes.findOrAdd(i, i);
  expect(codes.bytes).toBeLessThan(2 ** 20 * 4 + 1000);
  for (const key of [0, 65_536, 999_999]) expect(codes.find(key)).toBe(key);
  for (let i = 0; i < 1000; i++) codes.findOrAdd(2 ** 22 + i, codes.size);
  expect(codes.bytes).toBeLessThan(2 ** 21 * 4);
  for (const i of [0, 500, 999]) expect(codes.find(2 ** 22 + i)).toBe(1_000_000 + i);
  expect(codes.find(2 ** 22 - 1)).toBe(-1);
});
