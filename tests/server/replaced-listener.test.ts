/** A listener whose sockets were opened a second time: both groups count, drain and close together. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { trackedHandler } from '../../src/http/edge/tracked-handler.ts';
import { openedSockets } from '../../src/server/connections/opened-sockets.ts';
import { openSocketTable } from '../../src/server/connections/socket-table.ts';
import { listen } from '../../src/server/listener.ts';
import { makeCertificates } from '../support/certificates.ts';
import { manualWorld, until } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-replaced-'));
afterAll(() => rmSync(directory, { recursive: true }));

const entryOf = (name: string) => {
  const { ca, cert, key } = makeCertificates(directory, name);
  const entry = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  return { ca: readFileSync(ca, 'utf8'), entry, entries: [entry] };
};
const [before, after] = [entryOf('before'), entryOf('after')];

function start(
  answer: (path: string) => Promise<string> | string = () => 'yes',
  address: Parameters<typeof listen>[0]['address'] = { host: '127.0.0.1', port: 0 },
) {
  const world = manualWorld();
  const tracked = trackedHandler(
    async ({ url }) => new Response(await answer(new URL(url).pathname)),
  );
  const table = openSocketTable();
  const onOpened = openedSockets(table, 64 << 10);
  const listener = listen({ ...tracked, address, world, tls: before.entries, onOpened });
  const { port } = listener.address;
  const connections = () => {
    const found = new Set<number>();
    table?.each(port, (_descriptor, client) => found.add(client));
    return found;
  };
  return { world, listener, port, connections, busyPorts: tracked.busyPorts };
}

interface Client {
  readonly socket: TLSSocket;
  readonly issuer: string;
  /** Sends a request; resolves with the response. */
  get(path?: string): Promise<string>;
  readonly closed: Promise<void>;
}

async function open(port: number): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', ca: [before.ca, after.ca] });
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('close', () => reject(new Error('no connection')));
  });
  const get = (path = '/') =>
    new Promise<string>((resolve, reject) => {
      let received = '';
      socket.on('data', (bytes) => {
        received += bytes;
        if (/\r\n\r\n.+$/s.test(received)) resolve(received);
      });
      socket.once('close', () => reject(new Error(`closed after: ${received}`)));
      socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    });
  return { socket, issuer: String(socket.getPeerCertificate().issuer.CN), get, closed };
}

test('new connections get the new certificate, responses on the former ones close', async () => {
  const { listener, port, world } = start();
  const former = await open(port);
  expect(await former.get()).not.toContain('close');
  listener.replace(after.entries);
  expect(former.issuer).toBe('before CA');
  expect((await former.get()).toLowerCase()).toContain('connection: close');
  await former.closed;
  const next = await open(port);
  expect(next.issuer).toBe('after CA');
  expect((await next.get()).toLowerCase()).not.toContain('connection: close');
  await until(listener.drain(), world);
  await next.closed;
});

test('a response that was begun before the exchange closes its connection too', async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const { listener, port, world } = start((path) => {
    if (path === '/') return 'yes';
    arrived.resolve();
    return answer.promise;
  });
  const client = await open(port);
  const response = client.get('/slow');
  await arrived.promise;
  listener.replace(after.entries);
  answer.resolve('late');
  expect((await response).toLowerCase()).toContain('connection: close');
  await client.closed;
  await until(listener.drain(), world);
});

test('idle connections of the former sockets are closed after a second, not earlier', async () => {
  const { listener, port, world, connections } = start();
  const idle = await open(port);
  await idle.get();
  listener.replace(after.entries);
  world.advance(999);
  await world.scheduler.yield();
  expect(connections().size).toBe(1);
  world.advance(1);
  await idle.closed;
  expect(await (await open(port)).get()).toContain('yes');
  await until(listener.drain(), world);
});

test('a request of the former sockets may run until 30 s after the exchange', async () => {
  const arrived = Promise.withResolvers<void>();
  const never = new Promise<string>(() => {});
  const { listener, port, world } = start(() => {
    arrived.resolve();
    return never;
  });
  const client = await open(port);
  const outcome = client.get().catch(() => 'cut off');
  await arrived.promise;
  listener.replace(after.entries);
  let isClosed = false;
  void client.closed.then(() => {
    isClosed = true;
  });
  world.advance(29_999);
  for (let turn = 0; turn < 20; turn++) await world.scheduler.yield();
  expect(isClosed).toBe(false);
  world.advance(1);
  expect(await outcome).toBe('cut off');
  listener.abort();
});

test('requests and connections of both groups count', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const arrived = answers.map(() => Promise.withResolvers<void>());
  const { listener, port, world, connections, busyPorts } = start((path) => {
    const n = Number(path.slice(1));
    arrived[n]?.resolve();
    return answers[n]?.promise ?? '';
  });
  const first = await open(port);
  const responses = [first.get('/0')];
  await arrived[0]?.promise;
  listener.replace(after.entries);
  const second = await open(port);
  responses.push(second.get('/1'));
  await arrived[1]?.promise;
  const ports = [first, second].map(({ socket }) => socket.localPort as number).sort();
  expect([...busyPorts()].sort()).toEqual(ports);
  if (process.platform === 'linux') expect([...connections()].sort()).toEqual(ports);
  // Draining waits for both.
  let isDrained = false;
  const drained = listener.drain().then(() => {
    isDrained = true;
  });
  answers[1]?.resolve('second');
  await responses[1];
  for (let turn = 0; turn < 20; turn++) await world.scheduler.yield();
  expect(isDrained).toBe(false);
  answers[0]?.resolve('first');
  expect(await responses[0]).toContain('first');
  await drained;
  await Promise.all([first.closed, second.closed]);
});

test('an abort closes the connections of both groups', async () => {
  const { listener, port } = start();
  const first = await open(port);
  await first.get();
  listener.replace(after.entries);
  const second = await open(port);
  listener.abort();
  await Promise.all([first.closed, second.closed]);
});

test('unusable certificates leave the sockets as they are', async () => {
  const { listener, port } = start();
  const { cert } = after.entry;
  const { key } = before.entry;
  expect(() => listener.replace([{ cert, key }])).toThrow();
  expect(() => listener.replace([{ cert: cert.slice(0, 100), key }])).toThrow();
  const client = await open(port);
  expect(client.issuer).toBe('before CA');
  expect(await client.get()).not.toContain('close');
  listener.abort();
});

test('an exchange during the shutdown opens nothing', async () => {
  const { listener, port, world } = start();
  await until(listener.drain(), world);
  listener.replace(after.entries);
  expect(await outcomeOf(open(port))).toThrow('no connection');
});

test('every address of a name gets the new certificate', async () => {
  const address = { host: 'localhost', port: 0, numeric: ['127.0.0.1', '127.0.0.2'] };
  const { listener, port } = start(() => 'yes', address);
  listener.replace(after.entries);
  expect(listener.addresses.map(({ host }) => host)).toEqual(['127.0.0.1', '127.0.0.2']);
  expect((await open(port)).issuer).toBe('after CA');
  listener.abort();
});

test('a busy port is found although the sockets share their port', async () => {
  const other = start();
  const address = { host: '127.0.0.1', port: other.port };
  expect(() => start(() => 'yes', address)).toThrow('the address is in use');
  other.listener.abort();
  const plain = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => plain.once('listening', resolve));
  const { port } = plain.address() as { port: number };
  expect(() => start(() => 'yes', { host: '127.0.0.1', port })).toThrow('the address is in use');
  plain.close();
});

test.if(process.platform === 'linux')('new connections reach only the new sockets', async () => {
  const { listener, port } = start();
  listener.replace(after.entries);
  const issuers = [];
  for (let n = 0; n < 20; n++) {
    const { issuer, socket } = await open(port);
    issuers.push(issuer);
    socket.destroy();
  }
  expect(new Set(issuers)).toEqual(new Set(['after CA']));
  listener.abort();
});
