/** Memory of one program against its limit, and of all programs against the pool. */

import { expect, test } from 'bun:test';
import { Memory, MemoryPool } from '#executor';
import { OperatorProfile } from '../../src/executor/operator-profile.ts';
import { failureOf } from './support/run.ts';

const mib = 2 ** 20;
const site = new OperatorProfile('sort', 3);

test('draws before it holds: little at first, then a mebibyte at a time', () => {
  const pool = new MemoryPool(16 * mib, 4 * mib);
  const memory = new Memory(8 * mib, pool);
  const reservation = memory.reservation(site);
  reservation.resize(1);
  expect(pool.usedBytes).toBe(65_536);
  reservation.resize(65_537);
  expect(pool.usedBytes).toBe(mib);
  reservation.resize(2 * mib + 1);
  expect(pool.usedBytes).toBe(3 * mib);
  memory.release();
  expect(pool.usedBytes).toBe(0);
  expect(pool.peakBytes).toBe(3 * mib);
});

test('its own limit names the operator; the limit of all is overload, and takes nothing', () => {
  const pool = new MemoryPool(16 * mib, 4 * mib);
  const small = new Memory(mib, pool);
  expect(failureOf(() => small.reservation(site).resize(mib + 1))).toStartWith('memory_limit');
  const [first, second] = [new Memory(64 * mib, pool), new Memory(64 * mib, pool)];
  first.reservation(site).resize(10 * mib);
  expect(failureOf(() => second.reservation(site).resize(3 * mib))).toStartWith('overloaded');
  expect(pool.usedBytes).toBe(10 * mib);
  expect(pool.refused).toBe(1);
  second.release();
  first.release();
  expect(pool.usedBytes).toBe(0);
});

test('more than the pool has for one alone is no overload: trying again is of no use', () => {
  const pool = new MemoryPool(16 * mib, 4 * mib);
  const long = new Memory(64 * mib, pool);
  long.reservation(site).resize(12 * mib);
  long.release();
  expect(failureOf(() => long.reservation(site).resize(12 * mib + 1))).toStartWith('memory_limit');
  expect([pool.usedBytes, pool.refused]).toEqual([0, 0]);
  const short = new Memory(64 * mib, pool);
  short.isShort = true;
  short.reservation(site).resize(16 * mib);
});

test('short programs go on when the others have taken all they may', () => {
  const pool = new MemoryPool(16 * mib, 4 * mib);
  const long = new Memory(64 * mib, pool);
  long.reservation(site).resize(12 * mib);
  const short = new Memory(64 * mib, pool);
  const reservation = short.reservation(site);
  expect(failureOf(() => reservation.resize(1))).toStartWith('overloaded');
  short.isShort = true;
  reservation.resize(4 * mib);
  expect(pool.usedBytes).toBe(16 * mib);
});

test('what the request holds stays from statement to statement', () => {
  const memory = new Memory(8 * mib);
  memory.holdRequest(mib);
  const reservation = memory.reservation(site);
  reservation.resize(2 * mib);
  memory.keepOnly(100);
  expect(memory.usedBytes).toBe(mib + 100);
  memory.holdRequest(10);
  expect(memory.usedBytes).toBe(110);
});
