/** Requests through proxies: their addresses, and requests that bypass the proxy. */

import { describe, expect, test } from 'bun:test';
import { readConfiguration } from '#server';
import { Transport } from '../../src/http/edge/transport.ts';
import { TrustedProxies } from '../../src/http/edge/trusted-proxies.ts';
import { openRawClient } from '../support/raw-client.ts';
import { startTestServer } from './test-server.ts';

const rangesOf = (text: string) => readConfiguration({ 'trusted-proxy': text }, {}).trustedProxies;

describe('the option', () => {
  test('addresses and ranges of both versions', () => {
    expect(rangesOf('10.0.0.0/8, fd00::/8,192.0.2.1,::1')).toEqual([
      { address: '10.0.0.0', bits: 8 },
      { address: 'fd00::', bits: 8 },
      { address: '192.0.2.1', bits: 32 },
      { address: '::1', bits: 128 },
    ]);
  });

  test.each([
    '',
    'proxy',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0/8',
    '10.0.0.0/-1',
    '10.0.0.0/8,',
  ])('"%s" is refused', (text) => {
    expect(() => rangesOf(text)).toThrow(
      `--trusted-proxy is "${text}": expected addresses or ranges`,
    );
  });
});

describe('the address of a client', () => {
  const proxies = new TrustedProxies(rangesOf('10.0.0.0/8,fd00::/8,192.0.2.1'));
  const rows: readonly (readonly [connection: string, forwarded: string | null, client: string])[] =
    [
      ['10.1.1.1', '203.0.113.9', '203.0.113.9'],
      ['::ffff:10.1.1.1', '203.0.113.9', '203.0.113.9'],
      ['fd00::1', '2001:db8::9', '2001:db8::9'],
      ['192.0.2.1', '203.0.113.9', '203.0.113.9'],
      // The last untrusted one: a client can write the ones before it.
      ['10.1.1.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
      ['10.1.1.1', '198.51.100.1, 203.0.113.9, 10.2.2.2,10.3.3.3', '203.0.113.9'],
      ['10.1.1.1', '198.51.100.1,::ffff:203.0.113.9', '203.0.113.9'],
      ['10.1.1.1', 'nonsense, 203.0.113.9', '203.0.113.9'],
      ['10.1.1.1', '10.9.9.9, 10.2.2.2', '10.9.9.9'],
      // Malformed or absent.
      ['10.1.1.1', null, '10.1.1.1'],
      ['10.1.1.1', '', '10.1.1.1'],
      ['10.1.1.1', '203.0.113.9, ', '10.1.1.1'],
      ['10.1.1.1', '203.0.113.9, unknown', '10.1.1.1'],
      ['10.1.1.1', '203.0.113.9:80', '10.1.1.1'],
      ['10.1.1.1', '203.0.113.9, [2001:db8::1]', '10.1.1.1'],
      // Of a client that is no proxy.
      ['203.0.113.5', '198.51.100.1', '203.0.113.5'],
      ['192.0.2.2', '198.51.100.1', '192.0.2.2'],
      ['::1', '198.51.100.1', '::1'],
    ];
  test.each(rows)('from %s with %p is %s', (connection, forwarded, client) => {
    expect(proxies.clientOf(connection, forwarded)).toBe(client);
  });
});

describe('a server behind a proxy', () => {
  const ask = async (flags: Record<string, string>, path: string) => {
    await using server = await startTestServer({ storage: 'memory', ...flags });
    await server.server.opened;
    const client = await openRawClient(server.port);
    client.send(
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: 10.0.0.1\r\nconnection: close\r\n\r\n`,
    );
    return Number(/^HTTP\/1\.1 (\d+)/.exec(await client.closed)?.[1]);
  };
  const paths = ['/tables', '/metrics', '/healthz', '/nothing', '/livez', '/readyz', '/startupz'];
  const behind = { 'behind-tls-proxy': 'true' };

  test('refuses requests that bypass the proxy, except probes', async () => {
    const flags = { ...behind, 'trusted-proxy': '10.0.0.0/8' };
    const statuses = await Promise.all(paths.map((path) => ask(flags, path)));
    expect(statuses).toEqual([403, 403, 403, 403, 200, 200, 200]);
  });

  test.each([
    { ...behind, 'trusted-proxy': '127.0.0.0/8' },
    { ...behind },
    { 'trusted-proxy': '10.0.0.0/8' },
  ])('serves requests with %o', async (flags) => {
    const statuses = await Promise.all(
      paths.map((path) => ask(flags as Record<string, string>, path)),
    );
    expect(statuses).toEqual([200, 200, 200, 404, 200, 200, 200]);
  });
});

test('requests belong to the address that the proxy names, without proxies to that of the connection', () => {
  const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=198.51.100.7' };
  const request = new Request('http://127.0.0.1/', { headers });
  const addressIn = (proxies?: TrustedProxies) => {
    const transport = new Transport(undefined, undefined, proxies);
    transport.attach({ timeout() {}, requestIP: () => ({ address: '::ffff:10.1.1.1', port: 1 }) });
    return [transport.address(request), transport.isFromProxy(request)];
  };
  expect(addressIn(new TrustedProxies(rangesOf('10.0.0.0/8')))).toEqual(['203.0.113.9', true]);
  expect(addressIn(new TrustedProxies(rangesOf('10.2.0.0/16')))).toEqual(['10.1.1.1', false]);
  expect(addressIn()).toEqual(['10.1.1.1', false]);
});
