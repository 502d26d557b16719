/** How much memory a value keeps: everything that it leads to counts, once, but for what is kept anyway. */

import { expect, test } from 'bun:test';
import { retainedSize } from '../../src/engine/prepared/retained-size.ts';

const nothingShared: ReadonlySet<string> = new Set();
const sizeOf = (value: unknown, shared = nothingShared) => retainedSize(value, shared);
const long = 'x'.repeat(1000);

test('texts count wherever they stand: in members, lists, maps by key and value, and sets', () => {
  for (const holder of [
    { a: long },
    [long],
    new Map([['k', long]]),
    new Map([[long, 1]]),
    new Set([long]),
    { a: [new Map([[{ b: long }, new Set([1])]])] },
  ]) {
    expect(sizeOf(holder)).toBeGreaterThanOrEqual(2 * long.length);
    expect(sizeOf(holder)).toBeLessThan(3 * long.length);
  }
});

test('an object that is reached twice, or leads to itself, counts once', () => {
  const inner = { text: long };
  const once = sizeOf([inner]);
  expect(sizeOf([inner, inner]) - once).toBeLessThan(100);
  const circle: Record<string, unknown> = { text: long };
  circle['self'] = circle;
  expect(sizeOf(circle)).toBeLessThan(3 * long.length);
});

test('more members, functions and objects take more', () => {
  const sizes = [{}, { a: 1 }, { a: 1, b: 2 }, { a: 1, b: {} }, { a: () => 1, b: { c: {} } }];
  const taken = sizes.map((value) => sizeOf(value));
  expect(taken.toSorted((a, b) => a - b)).toEqual(taken);
  expect(new Set(taken).size).toBe(taken.length);
});

test('members that lead to what is kept anyway count only as members', () => {
  const value = { catalog: { text: long }, own: { catalog: [long] } };
  expect(sizeOf(value, new Set(['catalog']))).toBeLessThan(300);
  expect(sizeOf(value)).toBeGreaterThan(4 * long.length - 1);
});

test('falsy members do not hide others', () => {
  expect(sizeOf([long, undefined, null, 0, '', false])).toBeGreaterThanOrEqual(2 * long.length);
});
