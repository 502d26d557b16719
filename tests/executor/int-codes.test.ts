/** Codes of integers: every key keeps the code it got first, however many there are, and the memory that they take is told. */

import { expect, test } from 'bun:test';
import { IntCodes } from '../../src/executor/batch/int-codes.ts';
import { IntTable } from '../../src/executor/batch/int-table.ts';

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
  for (let i = 0; i < count; i++) codes.findOrAdd(i * 3, i);
  expect(codes.size).toBe(count);
  let wrong = 0;
  for (let i = 0; i < count; i++) {
    if (codes.find(i * 3) !== i) wrong++;
    if (codes.find(i * 3 + 1) !== -1) wrong++;
  }
  expect(wrong).toBe(0);
  expect(small).toBeLessThan(1000);
  expect(codes.bytes).toBeGreaterThanOrEqual(count * 2 * 12);
  expect(codes.bytes).toBeLessThanOrEqual(count * 6 * 12);
});
