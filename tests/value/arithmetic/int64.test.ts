import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  addInt64,
  divideInt64,
  EvaluationFailure,
  type Int64,
  int64Max,
  int64Min,
  multiplyInt64,
  negateInt64,
  subtractInt64,
  toInt64,
} from '#value';
import { int64 } from '../arbitrary.ts';

/** What the operation gives, or the reason and text of its failure. */
function outcome(operation: () => unknown): unknown {
  try {
    return operation();
  } catch (error) {
    if (error instanceof EvaluationFailure) return `${error.reason}: ${error.message}`;
    throw error;
  }
}

const operations = [
  ['addition', addInt64, (a: bigint, b: bigint) => a + b],
  ['subtraction', subtractInt64, (a: bigint, b: bigint) => a - b],
  ['multiplication', multiplyInt64, (a: bigint, b: bigint) => a * b],
  ['division', divideInt64, (a: bigint, b: bigint) => a / b],
] as const;

for (const [name, operate, exactly] of operations) {
  test(`${name} is exact and canonical`, () => {
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        if (name === 'division' && b === 0) return;
        const expected = toInt64(exactly(BigInt(a), BigInt(b)));
        const result = outcome(() => operate(a, b));
        // Object.is tells -0 from 0 and a number from a bigint.
        if (expected === undefined)
          expect(result).toBe(`numeric_overflow: int64 overflow in ${name}`);
        else
          expect(
            Object.is(result, expected) || (typeof expected === 'bigint' && result === expected),
          ).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
}

describe('edges', () => {
  const max = toInt64(int64Max) as Int64;
  const min = toInt64(int64Min) as Int64;

  test('overflow', () => {
    expect(outcome(() => addInt64(max, 1))).toBe('numeric_overflow: int64 overflow in addition');
    expect(outcome(() => subtractInt64(min, 1))).toContain('overflow');
    expect(outcome(() => divideInt64(min, -1))).toContain('overflow');
    expect(outcome(() => negateInt64(min))).toContain('overflow');
    expect(addInt64(min, max)).toBe(-1);
  });

  test('division by zero, truncation toward zero', () => {
    expect(outcome(() => divideInt64(0, 0))).toBe('division_by_zero: division by zero');
    expect(outcome(() => divideInt64(max, 0))).toBe('division_by_zero: division by zero');
    expect(divideInt64(-7, 2)).toBe(-3);
    expect(Object.is(divideInt64(-1, 2), 0)).toBe(true);
    expect(divideInt64(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1)).toBe(1);
    expect(divideInt64(Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER)).toBe(0);
  });

  test('zero has no sign', () => {
    expect(Object.is(negateInt64(0), 0)).toBe(true);
    expect(Object.is(multiplyInt64(-5, 0), 0)).toBe(true);
  });

  test('the border of the safe integers', () => {
    expect(addInt64(Number.MAX_SAFE_INTEGER, 1)).toBe(2n ** 53n);
    expect(subtractInt64(2n ** 53n, 1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(negateInt64(2n ** 53n)).toBe(-(2n ** 53n));
    expect(toInt64(2n ** 63n)).toBeUndefined();
  });
});
