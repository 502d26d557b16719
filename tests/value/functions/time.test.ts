/** Functions of time. The values are those of PostgreSQL 15. */

import { expect, test } from 'bun:test';
import type { FunctionName, Scalar } from '#value';
import { called } from './support.ts';

/** Calls a function of times, which are given and returned in the form of ISO 8601. */
function timeOf(name: FunctionName, ...args: readonly Scalar[]): string {
  const isTime = (arg: Scalar) => typeof arg === 'string' && /^[-+]?\d+-\d\d-\d\d/.test(arg);
  const value = called(name, ...args.map((arg) => (isTime(arg) ? Date.parse(arg as string) : arg)));
  return new Date(value as number).toISOString();
}

test('date_trunc returns the start of the unit in the zone', () => {
  expect(timeOf('date_trunc', 'week', '2021-01-01T00:00Z')).toBe('2020-12-28T00:00:00.000Z');
  expect(timeOf('date_trunc', 'century', '2000-06-01T00:00Z')).toBe('1901-01-01T00:00:00.000Z');
  expect(timeOf('date_trunc', 'day', '2021-03-28T10:00Z', 'Europe/Berlin')).toBe(
    '2021-03-27T23:00:00.000Z',
  );
  // The local hour from 2 to 3 occurs twice, and each instant keeps its own.
  for (const hour of ['00', '01']) {
    expect(timeOf('date_trunc', 'hour', `2021-10-31T${hour}:30Z`, 'Europe/Berlin')).toBe(
      `2021-10-31T${hour}:00:00.000Z`,
    );
  }
  expect(timeOf('date_trunc', 'hour', '2021-01-01T00:50Z', 'Asia/Kolkata')).toBe(
    '2021-01-01T00:30:00.000Z',
  );
});

test('date_part counts weeks by ISO 8601 and years without a year 0', () => {
  const part = (unit: string, time: string) => called('date_part', unit, Date.parse(time));
  expect(part('week', '2021-01-03')).toBe(53);
  expect(part('isoyear', '2021-01-03')).toBe(2020);
  expect(part('dow', '2021-01-03')).toBe(0);
  expect(part('isodow', '2021-01-03')).toBe(7);
  expect(part('second', '2021-01-03T00:00:07.123Z')).toBe(7.123);
  expect(part('epoch', '1969-12-31T23:59:59.999Z')).toBe(-0.001);
  expect(part('year', '-000001-06-01T00:00:00Z')).toBe(-2);
  expect(part('century', '-000100-06-01T00:00:00Z')).toBe(-2);
});

test('add_months keeps the time of day, and the day if the month has it', () => {
  expect(timeOf('add_months', '2021-01-31T12:00Z', 1)).toBe('2021-02-28T12:00:00.000Z');
  expect(timeOf('add_months', '2020-02-29T00:00Z', -12)).toBe('2019-02-28T00:00:00.000Z');
  // At half past two on this day, clocks in New York went from 2 to 3.
  expect(timeOf('add_months', '2021-02-14T07:30Z', 1, 'America/New_York')).toBe(
    '2021-03-14T07:30:00.000Z',
  );
});

test('date_bin begins at the origin, also before it', () => {
  expect(called('date_bin', 15, 22, 0)).toBe(15);
  expect(called('date_bin', 15, -1, 5)).toBe(-10);
  expect(called('date_bin', 15, 5, 20)).toBe(5);
});

test('errors name what is allowed', () => {
  expect(() => called('date_trunc', 'eon', 0)).toThrow('use one of milliseconds, second');
  expect(() => called('date_trunc', 'day', 0, 'Nope/X')).toThrow(
    'use a name such as Europe/Berlin',
  );
  expect(() => called('date_trunc', 'day', 0, '+02:00')).toThrow('unknown time zone');
  expect(() => called('date_part', 'day', 9e15)).toThrow('a time is in milliseconds');
  expect(() => called('add_months', 0, 9223372036854775807n)).toThrow('out of range');
  expect(() => called('date_bin', 0, 0, 0)).toThrow('must be positive');
});
