import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Average, Float64Sum, Int64Sum, toInt64 } from '#value';
import { int64 } from '../arbitrary.ts';

test('an integer sum is exact, and only the total can overflow', () => {
  fc.assert(
    fc.property(fc.array(int64, { maxLength: 12 }), (values) => {
      const sum = new Int64Sum();
      for (const value of values) sum.add(value);
      const expected = toInt64(values.reduce<bigint>((total, value) => total + BigInt(value), 0n));
      if (expected === undefined) expect(() => sum.total()).toThrow('overflow');
      else expect(sum.total()).toBe(expected);
    }),
  );
});

test('an intermediate overflow does not matter', () => {
  const sum = new Int64Sum();
  for (const value of [2n ** 62n, 2n ** 62n, 1, -(2n ** 62n), -(2n ** 62n)]) sum.add(value);
  expect(sum.total()).toBe(1);
});

test('many safe integers spill without loss', () => {
  const sum = new Int64Sum();
  for (let i = 0; i < 1000; i++) sum.add(Number.MAX_SAFE_INTEGER);
  expect(sum.total()).toBe(1000n * (2n ** 53n - 1n));
});

test('a float sum starts at +0 and must end finite', () => {
  const sum = new Float64Sum();
  sum.add(-0);
  expect(sum.total()).toBe(0);
  sum.add(Number.MAX_VALUE);
  sum.add(Number.MAX_VALUE);
  expect(() => sum.total()).toThrow('non-finite float aggregate');
});

test('an average of nothing is undefined, of big integers a float', () => {
  const average = new Average();
  expect(average.result()).toBeUndefined();
  average.add(2n ** 63n - 1n);
  average.add(2n ** 63n - 1n);
  expect(average.result()).toBe(2 ** 63);
});
