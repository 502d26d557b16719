/** Listener addresses as text. */

import { expect, test } from 'bun:test';
import { formatAddress, parseAddress } from '../../src/server/address.ts';

test('a formatted address parses to itself', () => {
  for (const text of ['127.0.0.1:0', '[::1]:65535', 'db.example:7237', '0.0.0.0:1']) {
    const address = parseAddress(text);
    expect(address && formatAddress(address)).toBe(text);
  }
});

test('an address without a host is every interface', () => {
  expect(parseAddress(':7237')).toEqual({ host: '::', port: 7237, isEveryInterface: true });
});

test('what is no address', () => {
  for (const text of ['', ':', 'x', '7237', 'x:', 'x:y', 'a b:1', '::1:1', '[::1]', 'x:123456']) {
    expect(parseAddress(text)).toBeUndefined();
  }
});
