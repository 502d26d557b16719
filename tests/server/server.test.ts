/** One server in this process, with a clock that the test moves: what it answers from start to stop. */

import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '#storage';
import { until } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';
import { openRawClient } from '../support/raw-client.ts';
import { startTestServer } from './test-server.ts';

const request = (line: string, more = '') => `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\n${more}\r\n`;
const json = 'content-type: application/json\r\n';

const oneRow = {
  statements: [
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          r: { kind: 'rows', scope: 'r', columns: [{ name: 'n', type: 'int64' }], rows: [['1']] },
        },
        root: { node: 'r', cardinality: 'exactly_one' },
      },
    },
  ],
};

describe('start', () => {
  test('probes answer at once, everything else once the database is open', async () => {
    await using running = await startTestServer();
    // The answer comes before the event loop has turned for the opening.
    const early = await running.get('/livez');
    expect(early).toEqual({ status: 200, json: { reason: 'live' } });
    await running.server.opened;
    expect(await running.get('/startupz')).toEqual({ status: 200, json: { reason: 'started' } });
    expect(await running.get('/readyz')).toEqual({ status: 200, json: { reason: 'serving' } });
    expect(await running.get('/healthz')).toEqual({
      status: 200,
      json: { status: 'ok', access: 'write', mode: 'direct' },
    });
    expect((await running.get('/info')).json).toHaveProperty('location', running.directory);
  });

  test('a directory in use is refused with its holder', async () => {
    await using first = await startTestServer();
    await first.server.opened;
    await using second = await startTestServer({ 'storage-path': first.directory });
    const error = await second.server.opened.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StorageError);
    expect(String(error)).toContain(`process ${process.pid} on`);
    expect(String(error)).toContain(`serving 127.0.0.1:${first.port}`);
  });

  test('an address in use is refused with what to do', async () => {
    await using first = await startTestServer({ storage: 'memory' });
    await first.server.opened;
    const second = startTestServer({ storage: 'memory', addr: `127.0.0.1:${first.port}` });
    expect(await outcomeOf(second)).toThrow(
      `cannot listen on 127.0.0.1:${first.port}: the address is in use`,
    );
  });

  test('beyond loopback it warns, and answers under any name', async () => {
    await using running = await startTestServer({
      storage: 'memory',
      addr: '0.0.0.0:0',
      insecure: 'true',
    });
    await running.server.opened;
    expect(running.events.map(({ event }) => event)).toContain('listener.exposed');
    const client = await openRawClient(running.port);
    client.send('GET /readyz HTTP/1.1\r\nhost: db.example\r\n\r\n');
    expect(await client.until('serving')).toContain('200 OK');
    client.end();
  });

  for (const host of ['127.0.0.1', 'LOCALHOST', '127.1', '[::ffff:127.0.0.1]']) {
    test(`on loopback, written ${host}, a foreign name is refused`, async () => {
      await using running = await startTestServer({ storage: 'memory', addr: `${host}:0` });
      await running.server.opened;
      expect(running.events.map(({ event }) => event)).not.toContain('listener.exposed');
      const client = await openRawClient(running.port);
      client.send('GET /info HTTP/1.1\r\nhost: db.example\r\n\r\n');
      expect(await client.until('db.example')).toContain('403 Forbidden');
      client.end();
    });
  }
});

describe('stop', () => {
  test('readiness fails at once, the listeners close after the drain delay', async () => {
    await using running = await startTestServer({}, { SVC_SHUTDOWN_DRAIN_MS: '3000' });
    await running.server.opened;
    const stopped = running.server.stop();
    expect(await running.get('/readyz')).toEqual({ status: 503, json: { reason: 'draining' } });
    expect(await running.get('/livez')).toEqual({ status: 503, json: { reason: 'draining' } });
    expect((await running.get('/tables')).status).toBe(200);
    expect(await until(stopped, running.world)).toBe('closed');
    expect(await outcomeOf(running.get('/livez'))).toThrow();
    const events = running.events.map(({ event }) => event);
    expect(events.filter((event) => event.startsWith('process'))).toEqual([
      'process.started',
      'process.ready',
      'process.draining',
      'process.stopped',
    ]);
    expect(running.events).toContainEqual({
      event: 'http.probe_failed',
      fields: { path: '/readyz', reason: 'draining' },
    });
  });

  test('stopping twice is stopping once', async () => {
    await using running = await startTestServer();
    await running.server.opened;
    expect(running.server.stop()).toBe(running.server.stop());
  });

  test('while it opens, it opens first', async () => {
    await using running = await startTestServer();
    expect(await running.server.stop()).toBe('closed');
    expect(await running.server.opened).toEqual({ location: running.directory, isNew: true });
  });

  test('a request whose body is complete in time is answered', async () => {
    await using running = await startTestServer();
    await running.server.opened;
    const client = await openRawClient(running.port);
    const table = JSON.stringify({
      name: 't',
      columns: [{ name: 'id', type: 'int64' }],
      primary_key: ['id'],
    });
    client.send(
      request('POST /tables', `${json}expect: 100-continue\r\ncontent-length: ${table.length}\r\n`),
    );
    await client.until('100 Continue');
    const stopped = running.server.stop();
    await running.world.scheduler.yield();
    client.send(table);
    expect(await client.closed).toContain('"name":"t"');
    expect(await stopped).toBe('closed');
  });

  const silent: readonly (readonly [string, string])[] = [
    [
      'half a body',
      request('POST /execute', `${json}expect: 100-continue\r\ncontent-length: 10\r\n`),
    ],
    [
      'half a chunked body',
      request('POST /execute', `${json}expect: 100-continue\r\ntransfer-encoding: chunked\r\n`),
    ],
  ];
  for (const [what, bytes] of silent) {
    test(`a client that sends ${what} is cut off after a while`, async () => {
      await using running = await startTestServer();
      await running.server.opened;
      const client = await openRawClient(running.port);
      client.send(bytes);
      await client.until('100 Continue');
      expect(await until(running.server.stop(), running.world)).toBe('closed');
      await client.closed;
      expect(running.events.map(({ event }) => event)).not.toContain('request.failed');
    });
  }

  test('a client that sends half a head is cut off after a while', async () => {
    await using running = await startTestServer();
    await running.server.opened;
    const client = await openRawClient(running.port);
    // The first request shows that the second has arrived, too.
    client.send(`${request('GET /livez')}GET /livez HTTP/1.1\r\nho`);
    await client.until('live');
    expect(await until(running.server.stop(), running.world)).toBe('closed');
    await client.closed;
  });
});

describe('fenced', () => {
  test('an idle writer notices that a newer one has claimed the directory', async () => {
    await using running = await startTestServer();
    await running.server.opened;
    writeFileSync(join(running.directory, 'epoch', '0000000002'), '{}');
    running.world.advance(1000);
    await running.server.lost;
    expect(await running.get('/readyz')).toEqual({ status: 503, json: { reason: 'fenced' } });
    const response = await fetch(`${running.server.url}/tables`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"t","columns":[{"name":"id","type":"int64"}],"primary_key":["id"]}',
    });
    const read = await fetch(`${running.server.url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(oneRow),
    });
    expect([read.status, await read.text()]).toEqual([500, expect.stringContaining('taken over')]);
    const problem = (await response.json()) as Record<string, string>;
    expect([response.status, problem.reason]).toEqual([500, 'storage_unavailable']);
    expect(problem.detail).toContain('has been taken over by epoch 2');
    expect(running.events).toContainEqual({
      event: 'request.failed',
      fields: expect.objectContaining({ incident: problem.incident, method: 'POST' }),
    });
  });
});

test('after a stop nobody finds the engine that was closed', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  const { lifecycle } = running.server as unknown as { lifecycle: { engine: unknown } };
  expect(lifecycle.engine).toBeDefined();
  expect(await running.server.stop()).toBe('closed');
  expect(lifecycle.engine).toBeUndefined();
});
