/** Limits per address. */

import { describe, expect, test } from 'bun:test';
import { AddressLimits, blocksOf } from '#authentication';

const keysOf = (address: string) => blocksOf(address).map(({ key }) => key);

describe('blocks of an address', () => {
  test.each([
    ['192.0.2.1', ['192.0.2.1']],
    ['::ffff:192.0.2.1', ['192.0.2.1']],
    ['::FFFF:c000:201', ['192.0.2.1']],
    ['0:0:0:0:0:ffff:192.0.2.1', ['192.0.2.1']],
    ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2/64', '2001:db8:1/48']],
    ['2001:0DB8:0001:0002::9', ['2001:db8:1:2/64', '2001:db8:1/48']],
    ['2001:db8:1::', ['2001:db8:1:0/64', '2001:db8:1/48']],
    ['fe80::1%eth0', ['fe80:0:0:0/64', 'fe80:0:0/48']],
    ['::1', ['0:0:0:0/64', '0:0:0/48']],
    ['::', ['0:0:0:0/64', '0:0:0/48']],
    ['1::2::3', ['1::2::3']],
    ['1:2:3:4:5:6:7', ['1:2:3:4:5:6:7']],
    ['1:2:3:4:5:6:7:8::', ['1:2:3:4:5:6:7:8::']],
    ['12345::', ['12345::']],
    ['', ['']],
    [`x${'y'.repeat(100)}`, [`x${'y'.repeat(63)}`]],
  ])('%s', (address, expected) => {
    expect(keysOf(address)).toEqual(expected);
  });
});

describe('invalid tokens', () => {
  /** Sends invalid tokens until the limit, and returns their number. */
  const fill = (limits: AddressLimits, address: string, nowMs = 0) => {
    let count = 0;
    for (; limits.failureWaitMs(address, nowMs) === 0; count++) limits.failed(address, nowMs);
    return count;
  };

  test('20 are permitted, then one each second', () => {
    const limits = new AddressLimits();
    expect(fill(limits, '192.0.2.1')).toBe(20);
    expect(limits.failureWaitMs('192.0.2.1', 0)).toBe(1000);
    expect(limits.failureWaitMs('192.0.2.1', 400)).toBeCloseTo(600);
    expect(fill(limits, '192.0.2.1', 3000)).toBe(3);
    expect(fill(limits, '192.0.2.1', 1e9)).toBe(20);
  });

  test('of one address do not count for another one', () => {
    const limits = new AddressLimits();
    fill(limits, '192.0.2.1');
    expect(limits.failureWaitMs('192.0.2.2', 0)).toBe(0);
    expect(fill(limits, '::ffff:192.0.2.1')).toBe(0);
  });

  test('count for the whole IPv6 network of 64 bits', () => {
    const limits = new AddressLimits();
    expect(fill(limits, '2001:db8:1:2::1')).toBe(20);
    expect(fill(limits, '2001:db8:1:2:ffff::2')).toBe(0);
    expect(fill(limits, '2001:db8:1:3::1')).toBe(20);
  });

  test('count for the IPv6 network of 48 bits with a tenfold limit', () => {
    const limits = new AddressLimits();
    let total = 0;
    for (let i = 0; i < 50; i++) total += fill(limits, `2001:db8:1:${i.toString(16)}::1`);
    expect(total).toBe(200);
    expect(fill(limits, '2001:db8:2::1')).toBe(20);
  });
});

test('an address may have 500 tokens verified at once, and 500 each second', () => {
  const limits = new AddressLimits();
  const fill = (nowMs: number) => {
    let count = 0;
    while (limits.mayVerify('192.0.2.1', nowMs)) count++;
    return count;
  };
  expect([fill(0), fill(100), fill(60_000)]).toEqual([500, 50, 500]);
});

test('at most 10,000 addresses are known, and a repeated one is not forgotten', () => {
  const limits = new AddressLimits();
  for (let i = 0; i < 20; i++) limits.failed('192.0.2.1', 0);
  for (let i = 0; i < 20_000; i++) {
    limits.failed(`10.0.${i >> 8}.${i & 255}`, 0);
    if (i % 5000 === 0) limits.failureWaitMs('192.0.2.1', 0);
  }
  expect(limits.size).toBe(10_000);
  expect(limits.failureWaitMs('192.0.2.1', 0)).toBe(1000);
});
