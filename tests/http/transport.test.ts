/** The address of a client, as the log and traces have it. */

import { expect, test } from 'bun:test';
import { Transport } from '../../src/http/edge/transport.ts';

test('a client of IPv4 has its own address, whatever the listener takes', () => {
  const transport = new Transport();
  const addressOf = (address: string) => {
    transport.attach({ timeout: () => {}, requestIP: () => ({ address, port: 1 }) });
    return transport.address(new Request('http://localhost/'));
  };
  expect(addressOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(addressOf('192.0.2.1')).toBe('192.0.2.1');
  expect(addressOf('::1')).toBe('::1');
  expect(addressOf('::ffff:1:2')).toBe('::ffff:1:2');
});
