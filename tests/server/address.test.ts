/** Listener addresses as text. */

import { expect, test } from 'bun:test';
import { formatAddress, isLoopbackOnly, parseAddress } from '../../src/server/address.ts';

test('a formatted address parses to itself', () => {
  for (const text of ['127.0.0.1:0', '[::1]:65535', 'db.example:7237', '0.0.0.0:1']) {
    const address = parseAddress(text);
    expect(address && formatAddress(address)).toBe(text);
  }
});

test.each([':7237', '*:7237'])('an address without a host is every interface: %s', (text) => {
  expect(parseAddress(text)).toEqual({ host: '::', port: 7237, isEveryInterface: true });
});

test('what is no address', () => {
  for (const text of ['', ':', 'x', '7237', 'x:', 'x:y', 'a b:1', '::1:1', '[::1]', 'x:123456']) {
    expect(parseAddress(text)).toBeUndefined();
  }
});

test('a name is loopback where it leads to nothing else', () => {
  const named = (...numeric: string[]) => isLoopbackOnly({ host: 'db.test', port: 1, numeric });
  expect([named('127.0.1.1'), named('::1', '127.0.0.1')]).toEqual([true, true]);
  expect([
    named('127.0.1.1', '192.0.2.1'),
    named(),
    isLoopbackOnly({ host: '::', port: 1 }),
  ]).toEqual([false, false, false]);
});
