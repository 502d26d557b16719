/** 100 Continue goes to the client that waits for it and to no other, whatever its address looks like. */

import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { peerAddress, plainAddress } from '../../../src/server/connections/peer-address.ts';
import { RecentDescriptors } from '../../../src/server/connections/recent-descriptors.ts';
import { openSocketTable, type Peer } from '../../../src/server/connections/socket-table.ts';

const table = openSocketTable();
const request = 'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
const continued = 'HTTP/1.1 100 Continue\r\n\r\n';

/** All that a client of `host` receives from a server that sends 100 Continue to `told(client)`. */
async function received(listening: string, host: string, told: (client: Peer) => Peer) {
  const server = Bun.serve({
    hostname: listening,
    port: 0,
    fetch(asked, listener) {
      const client = listener.requestIP(asked) as Peer;
      table?.sendContinue(listener.port as number, told(client));
      return new Response('done');
    },
  });
  const open = () =>
    new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(server.port as number, host, () => socket.write(request));
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
    });
  try {
    return await Promise.all([open(), open(), open()]);
  } finally {
    await server.stop(true);
  }
}

describe.skipIf(table === undefined)('on a connection', () => {
  for (const [listening, host] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
  ] as const) {
    test(`of ${host} to ${listening} it comes once, before the response`, async () => {
      for (const text of await received(listening, host, (client) => client)) {
        expect(text).toStartWith(`${continued}HTTP/1.1 200 OK\r\n`);
        expect(text.split(continued).length).toBe(2);
      }
    });
  }

  test('of another address with the same port nothing comes', async () => {
    const others = await received('127.0.0.1', '127.0.0.1', ({ port }) => ({
      address: '127.0.0.2',
      port,
    }));
    for (const text of others) expect(text).toStartWith('HTTP/1.1 200 OK\r\n');
  });
});

test('an address has one spelling', () => {
  const v6 = (text: string) =>
    Uint8Array.from([10, 0, 0, 0, 0, 0, 0, 0, ...Buffer.from(text, 'hex')]);
  expect(peerAddress(Uint8Array.from([2, 0, 31, 144, 10, 1, 2, 3, 0, 0]))).toBe('10.1.2.3');
  expect(peerAddress(v6('00000000000000000000ffff0a010203'))).toBe('10.1.2.3');
  expect(peerAddress(v6('20010db8000000000000000000000001'))).toBe('[2001:db8::1]');
  expect(plainAddress('10.1.2.3')).toBe('10.1.2.3');
  expect(plainAddress('::ffff:10.1.2.3')).toBe('10.1.2.3');
  expect(plainAddress('2001:DB8:0:0:0:0:0:1')).toBe('[2001:db8::1]');
});

test('a descriptor that is of another connection by now is forgotten', () => {
  const recent = new RecentDescriptors();
  recent.add(5000, 20);
  expect(recent.find(5001, () => true)).toBeUndefined();
  expect(recent.find(5000, (descriptor) => descriptor === 20)).toBe(20);
  expect(recent.find(5000, () => false)).toBeUndefined();
  expect(recent.find(5000, () => true)).toBeUndefined();
});

test('1,024 descriptors are kept, and the oldest goes', () => {
  const recent = new RecentDescriptors();
  for (let port = 0; port <= 1024; port++) recent.add(port, port + 7);
  expect(recent.find(0, () => true)).toBeUndefined();
  expect(recent.find(1, () => true)).toBe(8);
  expect(recent.find(1024, () => true)).toBe(1031);
});
