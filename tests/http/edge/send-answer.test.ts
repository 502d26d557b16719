/** Answers over real sockets: whole, in parts, never taken; and that each is released exactly once. */

import { afterEach, describe, expect, test } from 'bun:test';
import { DatabaseError } from '#failure';
import { EdgeCounters } from '../../../src/http/edge/counters.ts';
import { wholeBytesMax } from '../../../src/http/edge/response-memory.ts';
import { AnswerSender, type OutgoingResponse } from '../../../src/http/edge/send-answer.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { openRawClient } from '../../support/raw-client.ts';

const mib = 1 << 20;
const open: { stop(force: boolean): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop(true);
});

/** A listener that answers everything with `answer`. */
function serve(
  answer: OutgoingResponse,
  before: (request: Request) => Promise<void> = async () => {},
) {
  const world = manualWorld();
  const counters = new EdgeCounters();
  const releasedBytes: number[] = [];
  const told: number[] = [];
  const sender = new AnswerSender({
    scheduler: world.scheduler,
    counters,
    unsentBytesMax: 32 * mib,
    release: (bytes) => releasedBytes.push(bytes),
    onReaderClosed: (_taken, bytes) => told.push(bytes),
  });
  const { promise: released, resolve } = Promise.withResolvers<void>();
  let releases = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      await before(request);
      return sender.send(answer, { 'content-type': 'text/plain' }, () => {
        releases++;
        resolve();
      });
    },
  });
  open.push(server);
  return {
    server,
    sender,
    counters,
    world,
    released,
    releasedBytes,
    told,
    releases: () => releases,
  };
}

const get = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';
const ofBytes = (bytes: number): OutgoingResponse => ({ pieces: [new Uint8Array(bytes)], bytes });
const nothing = { unsentBytes: 0, unsentAnswers: 0 };

async function asks(port: number | undefined) {
  const client = await openRawClient(port as number);
  client.send(get);
  return client;
}

test('an answer up to 1 MiB is one body on a connection that goes on', async () => {
  const { server, counters, releases } = serve({
    pieces: ['ab', Buffer.from('c'), 'x'.repeat(wholeBytesMax - 3)],
    bytes: wholeBytesMax,
  });
  const response = await fetch(server.url);
  expect(response.headers.get('content-length')).toBe(String(wholeBytesMax));
  expect(response.headers.get('connection')).not.toBe('close');
  expect((await response.text()).slice(0, 5)).toBe('abcxx');
  expect(releases()).toBe(1);
  expect(counters).toMatchObject(nothing);
});

test('a larger one arrives in parts and whole, whatever its pieces are', async () => {
  // The pair of surrogates lies over the end of a part.
  const long = `${'a'.repeat(256 * 1024 - 1)}😀${'ü'.repeat(mib)}`;
  const text = `head${long}tail`;
  const pieces = ['head', Buffer.from(long), 'tail'];
  for (const answer of [pieces, [text]]) {
    const { server, counters, releases } = serve({
      pieces: answer,
      bytes: Buffer.byteLength(text),
    });
    const response = await fetch(server.url);
    expect(response.headers.get('connection')).toBe('close');
    expect((await response.text()) === text).toBe(true);
    expect(releases()).toBe(1);
    expect(counters).toMatchObject(nothing);
  }
});

describe('a client that reads nothing', () => {
  async function stuck(answer = ofBytes(64 * mib)) {
    const served = serve(answer);
    const client = await openRawClient(served.server.port as number);
    client.pause();
    client.send(get);
    // The socket has taken the first parts, and no more.
    const { counters, world } = served;
    while ([0, answer.bytes].includes(counters.unsentBytes)) await world.scheduler.yield();
    await world.scheduler.yield();
    return { ...served, client };
  }

  test('keeps large answers from being encoded while too much is unsent, and small ones not', async () => {
    const { sender, counters, client, released, releases } = await stuck();
    const share = sender.room.share();
    expect(() => share.hold(mib + 1)).toThrow(DatabaseError);
    expect(() => share.hold(mib + 1)).toThrow('unsent responses would exceed 32 MiB');
    expect(() => share.hold(mib)).not.toThrow();
    expect(counters).toMatchObject({ unsentAnswers: 1, refusedForUnsent: 2 });
    client.end();
    await released;
    expect(releases()).toBe(1);
    expect(counters).toMatchObject(nothing);
    expect(() => share.hold(mib + 1)).not.toThrow();
  });

  test('is cut off after thirty seconds, and does not see an end of the answer', async () => {
    const { world, counters, client, releases, told } = await stuck();
    while (world.pending.length > 0) world.advance(5000);
    expect(releases()).toBe(1);
    expect(counters).toMatchObject({ ...nothing, slowReadersClosed: 1 });
    expect(told).toEqual([64 * mib]);
    expect((await client.closed).endsWith('0\r\n\r\n')).toBe(false);
  });

  test('does not outlive the listener', async () => {
    const { server, counters, released, releases, releasedBytes } = await stuck();
    await server.stop(true);
    await released;
    expect(releases()).toBe(1);
    expect(releasedBytes).toEqual([64 * mib, 64 * mib]);
    expect(counters).toMatchObject(nothing);
  });
});

test('a client that has left before the answer is there releases it', async () => {
  const { server, counters, released, releases } = serve(ofBytes(8 * mib), async (request) => {
    const gone = new Promise((resolve) => request.signal.addEventListener('abort', resolve));
    client.end();
    await gone;
  });
  const client = await asks(server.port);
  await released;
  expect(releases()).toBe(1);
  expect(counters).toMatchObject(nothing);
});

test('a client that leaves in the middle releases what it has not taken', async () => {
  const { server, counters, released, releases } = serve(ofBytes(64 * mib));
  const client = await asks(server.port);
  await client.until('HTTP/1.1 200');
  client.end();
  await released;
  expect(releases()).toBe(1);
  expect(counters).toMatchObject(nothing);
});
