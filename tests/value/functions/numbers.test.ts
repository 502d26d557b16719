/** Functions of numbers. The values are those of PostgreSQL 15. */

import { expect, test } from 'bun:test';
import { called, calledAs } from './support.ts';

test('a power with an integer exponent is rounded once', () => {
  const power = (base: number, exponent: number) =>
    calledAs('power', ['float64', 'float64'], base, exponent);
  expect(power(100, 100)).toBe(1e200);
  expect(power(0.1, 10)).toBe(1.0000000000000006e-10);
  expect(power(-3.7, 100)).toBe(6.609557828843898e56);
  expect(power(2, -1000)).toBe(9.332636185032189e-302);
  expect(power(-2, 3)).toBe(-8);
  expect(power(0, 0)).toBe(1);
  expect(() => power(10, 400)).toThrow('out of range of float64');
  expect(() => power(10, -400)).toThrow('out of range of float64');
  expect(() => power(0, -1)).toThrow('zero');
  expect(() => power(-8, 1 / 3)).toThrow('negative number');
});

test('round takes the even integer at a tie, and with places the digit away from zero', () => {
  const round = (value: number) => calledAs('round', ['float64'], value);
  expect([0.5, 1.5, 2.5, -0.5, -2.5, 2.4999999999999996].map(round)).toEqual([0, 2, 2, -0, -2, 2]);
  const places = (value: number, count: number) =>
    calledAs('round', ['float64', 'int64'], value, count);
  expect(places(1.005, 2)).toBe(1.01);
  expect(places(-2.5, 0)).toBe(-3);
  expect(places(1250, -2)).toBe(1300);
  expect(places(0.0004, 3)).toBe(0);
  expect(() => places(1.7976931348623157e308, -308)).toThrow('out of range');
});

test('integers beyond 2^53 are exact', () => {
  expect(called('mod', 9223372036854775807n, 10)).toBe(7);
  expect(called('abs', -9223372036854775807n)).toBe(9223372036854775807n);
  expect(() => called('abs', -9223372036854775808n)).toThrow('int64 overflow in abs');
  expect(called('bit_xor', 9223372036854775807n, -1)).toBe(-9223372036854775808n);
  expect(called('shift_left', 1, 63)).toBe(-9223372036854775808n);
  expect(called('shift_left', 1, -1)).toBe(-9223372036854775808n);
  expect(called('shift_right', -1, 70)).toBe(-1);
});

test('texts become numbers and booleans', () => {
  expect(called('parse_int64', ' +007 ')).toBe(7);
  expect(() => called('parse_int64', '1.0')).toThrow('the text "1.0" is not an integer');
  expect(() => called('parse_int64', '9223372036854775808')).toThrow('out of range of int64');
  expect(called('parse_float64', '1.')).toBe(1);
  expect(() => called('parse_float64', 'NaN')).toThrow('out of range of float64');
  expect(() => called('parse_float64', '1e-400')).toThrow('out of range of float64');
  expect(called('parse_bool', ' tRu ')).toBe(true);
  expect(() => called('parse_bool', 'o')).toThrow('is not a bool');
});
