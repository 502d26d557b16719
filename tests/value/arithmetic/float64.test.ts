import { expect, test } from 'bun:test';
import {
  addFloat64,
  divideFloat64,
  float64ToInt64,
  int64ToFloat64,
  multiplyFloat64,
  subtractFloat64,
} from '#value';

test('a non-finite result is a float overflow', () => {
  expect(() => addFloat64(Number.MAX_VALUE, Number.MAX_VALUE)).toThrow('float overflow');
  expect(() => subtractFloat64(-Number.MAX_VALUE, Number.MAX_VALUE)).toThrow('float overflow');
  expect(() => multiplyFloat64(1e200, 1e200)).toThrow('float overflow');
  expect(() => divideFloat64(1, Number.MIN_VALUE)).toThrow('float overflow');
});

test('underflow keeps the sign, division by either zero fails', () => {
  expect(multiplyFloat64(-Number.MIN_VALUE, 0.25)).toBe(-0);
  expect(() => divideFloat64(0, 0)).toThrow('division by zero');
  expect(() => divideFloat64(1, -0)).toThrow('division by zero');
  expect(divideFloat64(1, 4)).toBe(0.25);
});

test('int64 to float64 rounds to nearest, ties to even', () => {
  expect(int64ToFloat64(2n ** 53n + 1n)).toBe(2 ** 53);
  expect(int64ToFloat64(2n ** 53n + 3n)).toBe(2 ** 53 + 4);
  expect(int64ToFloat64(2n ** 60n + 128n)).toBe(2 ** 60);
  expect(int64ToFloat64(2n ** 60n + 129n)).toBe(2 ** 60 + 256);
  expect(int64ToFloat64(2n ** 60n + 384n)).toBe(2 ** 60 + 512);
  expect(int64ToFloat64(-(2n ** 60n) - 384n)).toBe(-(2 ** 60) - 512);
  expect(int64ToFloat64(2n ** 63n - 1n)).toBe(2 ** 63);
});

test('float64 to int64 truncates and stays in range', () => {
  expect(float64ToInt64(-1.9)).toBe(-1);
  expect(float64ToInt64(-0)).toBe(0);
  expect(float64ToInt64(-0.5)).toBe(0);
  expect(float64ToInt64(2 ** 53)).toBe(2n ** 53n);
  expect(float64ToInt64(-(2 ** 63))).toBe(-(2n ** 63n));
  expect(float64ToInt64(2 ** 63 - 1024)).toBe(2n ** 63n - 1024n);
  expect(() => float64ToInt64(2 ** 63)).toThrow('out of range');
  expect(() => float64ToInt64(-(2 ** 63) - 2048)).toThrow('out of range');
});
