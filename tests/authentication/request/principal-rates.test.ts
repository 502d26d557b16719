/** The rates of principals. */

import { expect, test } from 'bun:test';
import { PrincipalRates } from '../../../src/authentication/request/principal-rates.ts';

test('twice the rate at once, then the rate', () => {
  const rates = new PrincipalRates();
  const taken = (nowMs: number) => rates.take('a', 5, nowMs);
  for (let i = 0; i < 10; i++) expect(taken(0)).toBe(0);
  expect(taken(0)).toBe(200);
  expect(taken(100)).toBe(100);
  expect(taken(200)).toBe(0);
  expect(taken(200)).toBe(200);
});

test('each principal has its own rate', () => {
  const rates = new PrincipalRates();
  for (let i = 0; i < 2; i++) rates.take('a', 1, 0);
  expect(rates.take('a', 1, 0)).toBe(1000);
  expect(rates.take('b', 1, 0)).toBe(0);
});

test('a principal that waits long has no more than its burst', () => {
  const rates = new PrincipalRates();
  rates.take('a', 1, 0);
  expect([1, 2, 3].map(() => rates.take('a', 1, 3_600_000))).toEqual([0, 0, 1000]);
});

test('the number of principals is bounded', () => {
  const rates = new PrincipalRates();
  for (let i = 0; i < 10_050; i++) rates.take(`${i}`, 1, 0);
  expect(rates.size).toBe(10_000);
});
