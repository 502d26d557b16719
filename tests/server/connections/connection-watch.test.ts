/** How connections are kept below their limit: over a table that the test writes, and over real sockets. */

import { dlopen, FFIType } from 'bun:ffi';
import { describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { systemWorld } from '#base';
import { readConfiguration, Server } from '#server';
import { EdgeCounters } from '../../../src/http/edge/counters.ts';
import { connectionLimit } from '../../../src/server/connections/connection-limit.ts';
import { ConnectionWatch } from '../../../src/server/connections/connection-watch.ts';
import { openSocketTable } from '../../../src/server/connections/socket-table.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { openRawClient } from '../../support/raw-client.ts';

/** Ten connections may be open; the client of descriptor `n` has port `n`. */
function watch() {
  const world = manualWorld();
  const open = new Set<number>();
  const busy = new Set<number>();
  const others = { files: 20 };
  const events: string[] = [];
  const counters = new EdgeCounters();
  const watched = new ConnectionWatch({
    table: {
      descriptors: () => open.size + others.files,
      each: (_port, visit) => {
        for (const descriptor of [...open]) visit(descriptor, descriptor);
      },
      end: (descriptor) => void open.delete(descriptor),
      boundUnread: () => {},
      directToSecond: () => {},
      sendContinue: () => {},
    },
    world,
    log: { has: () => true, write: (_level, event) => void events.push(event) },
    counters,
    connectionsMax: 10,
    port: 1,
    busyPorts: () => busy,
  });
  watched.start();
  const become = (count: number) => {
    for (let n = 0; open.size < count; n++) open.add(100 + n);
    world.advance(100);
  };
  return { watched, world, open, busy, others, events, counters, become };
}

describe('connections', () => {
  test('count without other open files', () => {
    const { watched, counters, become } = watch();
    become(8);
    expect([counters.connections, watched.pressure]).toEqual([8, 'normal']);
  });

  test('count as such again within a second after other files were opened', () => {
    const { watched, world, others, counters, become } = watch();
    become(4);
    others.files += 100;
    become(4);
    expect([counters.connections, watched.pressure]).toEqual([104, 'full']);
    world.advance(800);
    expect([counters.connections, watched.pressure]).toEqual([4, 'normal']);
  });

  test('above 80 % they press', () => {
    const { watched, open, become } = watch();
    become(9);
    expect([open.size, watched.pressure]).toEqual([9, 'high']);
  });

  test('at the limit those without a request are closed, down to three quarters', () => {
    const { watched, open, busy, events, counters, become } = watch();
    busy.add(100).add(101);
    become(14);
    expect(open.size).toBe(7);
    expect(open.has(100) && open.has(101)).toBe(true);
    expect(counters.connectionsEnded).toBe(7);
    expect(events).toEqual(['listener.full']);
    become(7);
    expect(watched.pressure).toBe('normal');
  });

  test('whose requests are under way stay, and others are refused', () => {
    const { watched, open, busy, counters, become } = watch();
    for (let n = 0; n < 12; n++) busy.add(100 + n);
    become(12);
    expect([open.size, watched.pressure, counters.connectionsEnded]).toEqual([12, 'full', 0]);
  });

  test('are told of once in ten seconds', () => {
    const { world, events, become } = watch();
    for (let i = 0; i < 50; i++) become(10);
    expect(events.length).toBe(1);
    world.advance(10_000);
    become(10);
    expect(events.length).toBe(2);
  });

  test('are looked at more often when there are many', () => {
    const { world, become } = watch();
    expect(world.pending).toEqual([100]);
    become(5);
    expect(world.pending).toEqual([25]);
  });

  test('are not looked at any more after the stop', () => {
    const { watched, world } = watch();
    watched.stop();
    expect(world.pending).toEqual([]);
  });
});

describe('the limit', () => {
  test('leaves descriptors to the store', () => {
    expect(connectionLimit(undefined, Number.POSITIVE_INFINITY)).toBe(10_000);
    expect(connectionLimit(undefined, 20_000)).toBe(10_000);
    expect(connectionLimit(undefined, 4096)).toBe(3072);
    expect(connectionLimit(undefined, 1024)).toBe(512);
    expect(connectionLimit(18_976, 20_000)).toBe(18_976);
  });

  test('is refused when it does not fit', () => {
    expect(() => connectionLimit(18_977, 20_000)).toThrow(
      '--max-connections is "18977": expected at most 18976, because the limit of open files is 20000 (ulimit -n)',
    );
    expect(() => connectionLimit(undefined, 255)).toThrow(
      'the limit of open files (ulimit -n) is "255": expected at least 256',
    );
  });
});

test.if(openSocketTable() !== undefined)(
  'silent connections make room for a probe and a query, over real sockets',
  async () => {
    const flags = { addr: '127.0.0.1:0', storage: 'memory', 'max-connections': '8' };
    const log = { has: () => false, write: () => {} };
    const server = new Server(readConfiguration(flags, {}), systemWorld(), log);
    await server.opened;
    const port = Number(new URL(server.url).port);
    const silent = await Promise.all(Array.from({ length: 16 }, () => openRawClient(port)));
    const ended = await Promise.race(silent.map(({ closed }) => closed));
    expect(ended).toBe('');
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    for (const client of silent) client.end();
    await server.stop();
  },
);

test.if(openSocketTable() !== undefined)(
  'a connection keeps no more than 128 KiB that nobody has read: all that has arrived on all of them is read in one turn',
  async () => {
    const flags = { addr: '127.0.0.1:0', storage: 'memory' };
    const log = { has: () => false, write: () => {} };
    const server = new Server(readConfiguration(flags, {}), systemWorld(), log);
    await server.opened;
    const port = Number(new URL(server.url).port);
    // One connection that stays open until it has been looked at: what a pool of a client keeps depends on its other connections.
    const client = await openRawClient(port);
    // The system begins with as much, and gives a connection that brings megabytes more and more.
    const body = ' '.repeat(4 << 20);
    client.send(
      `POST /execute HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    client.send(body);
    expect(await client.until('\r\n\r\n')).toStartWith('HTTP/1.1 400 ');
    const sizes: number[] = [];
    openSocketTable()?.each(port, (descriptor) => {
      sizes.push(receiveBufferOf(descriptor));
    });
    expect(sizes).toEqual([128 << 10]);
    client.end();
    await server.stop();
  },
);

test.if(openSocketTable() !== undefined)(
  'sockets between processes are no connections, wherever they stand',
  async () => {
    const { promise: accepted, resolve } = Promise.withResolvers<Socket>();
    // Numbers for the two ends of the connection, so that those of the child stand next to the listener.
    const kept = [openSync('/dev/null', 'r'), openSync('/dev/null', 'r')];
    const listener = createServer(resolve).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const child = spawn('cat', { stdio: ['pipe', 'pipe', 'pipe'] });
    for (const descriptor of kept) closeSync(descriptor);
    const client = await openRawClient(port);
    const connection = await accepted;
    const seen: number[] = [];
    openSocketTable()?.each(port, (descriptor) => seen.push(descriptor));
    expect(seen.length).toBe(1);
    child.kill('SIGKILL');
    connection.destroy();
    client.end();
    listener.close();
  },
);

/** As the system has it: twice what was asked for. */
function receiveBufferOf(descriptor: number): number {
  const { i32, ptr } = FFIType;
  const { symbols } = dlopen('libc.so.6', {
    getsockopt: { args: [i32, i32, i32, ptr, ptr], returns: i32 },
  });
  const value = new Int32Array(1);
  symbols.getsockopt(descriptor, 1, 8, value, new Uint32Array([4]));
  return value[0] as number;
}
