/** Bodies that come slowly, by half, too many at once, or in crumbs: over real sockets, under a clock that the test moves. */

import { afterEach, expect, test } from 'bun:test';
import { type DatabaseError, fail } from '#failure';
import { Activity } from '../../../src/http/edge/activity.ts';
import { EdgeCounters } from '../../../src/http/edge/counters.ts';
import { IncomingBodies } from '../../../src/http/edge/incoming-bodies.ts';
import { manualWorld } from '../../support/manual-world.ts';
import type { RawClient } from '../../support/raw-client.ts';
import { head, json, serveHandler } from './served.ts';

const mib = 1 << 20;
type Served = ReturnType<typeof serveHandler>;
const open: Served[] = [];
afterEach(async () => {
  for (const { server } of open.splice(0)) await server.stop(true);
});

function serve(): Served {
  const served = serveHandler();
  open.push(served);
  return served;
}

const post = (...headers: string[]) => head('POST', '/execute', json, ...headers);

/** A client whose body of 4 MiB has come by `sent` bytes, all of them read. */
async function halfway({ connect, counters, world }: Served, sent: number): Promise<RawClient> {
  const before = counters.arrivingBytes;
  const client = await connect();
  client.send(post(`content-length: ${4 * mib}`));
  client.send(Buffer.alloc(sent, 'x'));
  while (counters.arrivingBytes < before + sent && counters.bodiesCrowdedOut === 0) {
    await world.scheduler.yield();
  }
  return client;
}

async function advanceTicks({ world }: Served, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) world.advance(1000);
}

test('a body that does not arrive in its time is answered with 408, and the connection ends', async () => {
  const served = serve();
  const client = await halfway(served, 3 * mib);
  // 10 s, and 64 for the 4 MiB.
  await advanceTicks(served, 74);
  expect(served.counters).toMatchObject({ arrivingBodies: 1, bodiesTimedOut: 0 });
  await advanceTicks(served, 1);
  const received = await client.closed;
  expect(received).toStartWith('HTTP/1.1 408');
  expect(received.toLowerCase()).toContain('connection: close');
  expect(received).toContain('"reason":"request_timeout"');
  expect(served.counters).toMatchObject({
    arrivingBodies: 0,
    arrivingBytes: 0,
    bodiesTimedOut: 1,
  });
  expect(served.incidents).toEqual([]);
});

test('of many bodies that are overdue together 64 are refused a turn', async () => {
  const counters = new EdgeCounters();
  let tick = () => {};
  const turns: (() => void)[] = [];
  const scheduler = {
    ...manualWorld().scheduler,
    after: (_delayMs: number, task: () => void) => {
      tick = task;
      return { cancel: () => {} };
    },
    yield: () => new Promise<void>((resolve) => turns.push(resolve)),
  };
  const arrivals = new IncomingBodies({
    scheduler,
    counters,
    activity: new Activity(),
    bodyBytesMax: mib,
    arrivingBytesMax: 8 * mib,
  });
  const refusals = Array.from({ length: 150 }, () => {
    const body = new ReadableStream<Uint8Array>();
    const request = new Request('http://localhost/execute', { method: 'POST', body });
    return arrivals
      .readSmall(request, 100, ({ length }) => `${length} bytes`)
      .catch(({ failure }) => failure.reason);
  });
  for (let second = 0; second < 12; second++) tick();
  expect(counters).toMatchObject({ bodiesTimedOut: 64, arrivingBodies: 86 });
  // A tick that comes meanwhile begins nothing of its own.
  tick();
  expect(counters.bodiesTimedOut).toBe(64);
  for (const refused of [128, 150]) {
    turns.shift()?.();
    await Promise.resolve();
    expect(counters.bodiesTimedOut).toBe(refused);
  }
  expect(turns).toEqual([]);
  expect(new Set(await Promise.all(refusals))).toEqual(new Set(['request_timeout']));
});

/** Bodies past sockets: of pieces, how they are read, and whether the rest of them is given up. */
async function readPieces(
  count: number,
  bytes: number,
  declaredBytes: number | undefined,
): Promise<{ readonly outcome: string; readonly isGivenUp: boolean }> {
  let isGivenUp = false;
  let left = count;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (left-- === 0) controller.close();
      else controller.enqueue(new Uint8Array(bytes));
    },
    cancel: () => {
      isGivenUp = true;
    },
  });
  const { scheduler } = manualWorld();
  const limits = { bodyBytesMax: mib, arrivingBytesMax: 8 * mib };
  const activity = new Activity();
  const counters = new EdgeCounters();
  const arrivals = new IncomingBodies({ scheduler, counters, activity, ...limits });
  const request = new Request('http://localhost/execute', { method: 'POST', body });
  const outcome = await arrivals
    .readLarge(request, declaredBytes, () => fail('memory_limit', 'too large'))
    .then(
      (read) => `${read.length} bytes`,
      ({ failure }: DatabaseError) => failure.reason,
    );
  return { outcome, isGivenUp };
}

test('only the client who cuts a body in crumbs is refused, and what is left of it is given up', async () => {
  expect(await readPieces(70_000, 1, 70_000)).toEqual({ outcome: '70000 bytes', isGivenUp: false });
  const { outcome, isGivenUp } = await readPieces(70_000, 1, undefined);
  expect([outcome, isGivenUp]).toEqual(['schema_violation', true]);
});

test('what is left of a body that is too long is given up', async () => {
  expect(await readPieces(16, mib / 16, undefined)).toMatchObject({ outcome: `${mib} bytes` });
  const long = await readPieces(20, mib / 16, undefined);
  expect(long).toEqual({ outcome: 'memory_limit', isGivenUp: true });
});

test('a small body has ten seconds', async () => {
  const served = serve();
  const client = await served.connect();
  client.send(`${post('content-length: 10')}abc`);
  while (served.counters.arrivingBodies === 0) await served.world.scheduler.yield();
  await advanceTicks(served, 11);
  expect(served.counters.bodiesTimedOut).toBe(0);
  await advanceTicks(served, 1);
  expect(await client.closed).toStartWith('HTTP/1.1 408');
});

test('a body in chunks has the time of the largest one', async () => {
  const served = serve();
  const client = await served.connect();
  client.send(`${post('transfer-encoding: chunked')}3\r\nabc\r\n`);
  while (served.counters.arrivingBytes === 0) await served.world.scheduler.yield();
  await advanceTicks(served, 74);
  expect(served.counters.bodiesTimedOut).toBe(0);
  await advanceTicks(served, 1);
  expect(await client.closed).toStartWith('HTTP/1.1 408');
});

test('no timer runs when no body is on its way', async () => {
  const served = serve();
  const client = await served.connect();
  client.send(`${post('content-length: 2')}{}`);
  await client.until('HTTP/1.1 400');
  await advanceTicks(served, 1);
  expect(served.world.pending).toEqual([]);
  client.end();
});

test('a body that arrives just in time is answered', async () => {
  const served = serve();
  const client = await served.connect();
  client.send(`${post('content-length: 2')}{`);
  while (served.counters.arrivingBodies === 0) await served.world.scheduler.yield();
  await advanceTicks(served, 10);
  client.send('}');
  expect(await client.until('schema_violation')).toStartWith('HTTP/1.1 400');
  client.end();
});

test('beyond the bound of all bodies the one goes that has not sent for longest', async () => {
  const served = serve();
  // Memory doubles as a body grows: 1.5 MiB take up to 2.
  const stalled = await halfway(served, 1.5 * mib);
  const others: RawClient[] = [];
  while (served.counters.bodiesCrowdedOut === 0) others.push(await halfway(served, 1.5 * mib));
  const received = await stalled.closed;
  expect(received).toStartWith('HTTP/1.1 503');
  expect(received.toLowerCase()).toContain('retry-after: 1');
  expect(received).toContain('"reason":"overloaded"');
  expect(received).toContain('8 MiB');
  expect(served.counters.bodiesCrowdedOut).toBe(1);
  expect(others.length).toBeGreaterThanOrEqual(4);
  expect(served.counters.arrivingBytes).toBeLessThanOrEqual(8 * mib);
  for (const client of others) client.end();
});

test('a client that leaves in the middle leaves nothing behind', async () => {
  const served = serve();
  const client = await halfway(served, mib);
  client.end();
  while (served.counters.arrivingBodies > 0) await served.world.scheduler.yield();
  expect(served.counters.arrivingBytes).toBe(0);
  expect(served.incidents).toEqual([]);
});

test('a body in crumbs holds no more memory than one in a piece', async () => {
  const served = serve();
  const client = await served.connect();
  client.send(post('transfer-encoding: chunked'));
  // Where the network cuts a chunk in two, it counts twice.
  client.send(`50\r\n${'x'.repeat(80)}\r\n`.repeat(5000));
  while (served.counters.arrivingBytes < 400_000) await served.world.scheduler.yield();
  expect(served.counters.arrivingBytes).toBeLessThanOrEqual(800_000);
  client.send('0\r\n\r\n');
  await client.until('HTTP/1.1 400');
  expect(await client.until('invalid request body')).not.toContain('chunks');
  client.end();
});

test('a body in more than 1,024 tiny chunks is refused at once, and its connection closed', async () => {
  const served = serve();
  const client = await served.connect();
  client.send(post('transfer-encoding: chunked'));
  client.send('1\r\n \r\n'.repeat(3000));
  const received = await client.closed;
  expect(received).toStartWith('HTTP/1.1 400');
  expect(received).toContain('1,024 chunks');
  expect(received).toContain('"pointer":"/body"');
  expect(served.counters).toMatchObject({ arrivingBodies: 0, arrivingBytes: 0 });
});

test('a body in 1,000 tiny chunks is taken', async () => {
  const served = serve();
  const client = await served.connect();
  client.send(post('transfer-encoding: chunked'));
  client.send(`${'1\r\n \r\n'.repeat(1000)}2\r\n{}\r\n0\r\n\r\n`);
  expect(await client.until('schema_violation')).not.toContain('chunks');
  client.end();
});

test('behind a body with a trailer the runtime ends the connection: the request has had its answer', async () => {
  const served = serve();
  const client = await served.connect();
  const body = '{"statements":[]}';
  client.send(post('transfer-encoding: chunked'));
  client.send(`${body.length.toString(16)}\r\n${body}\r\n0\r\n`);
  await client.until('application/problem+json');
  client.send('x-checksum: 1\r\n\r\n');
  const received = await client.closed;
  expect(received.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(2);
  expect(received).toContain('application/problem+json');
  expect(received).toEndWith('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
});
