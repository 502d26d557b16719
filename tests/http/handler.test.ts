/** What stands around the routes: the host guard, the time before the database is open, incidents, what is told to the log. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield } from '#base';
import type { Engine } from '#engine';
import { fail } from '#failure';
import { describeChain } from '#http';
import { StorageError } from '#storage';
import { PlanCache } from '../../src/engine/prepared/plan-cache.ts';
import { openMemoryEngine, openTestHandler } from './support.ts';

const json = { 'content-type': 'application/json' };
const lir = { 'content-type': 'application/vnd.svc.lir+json' };

describe('before the database is open', () => {
  test('probes answer, with the reason of their state', async () => {
    const { send, failedProbes } = openTestHandler({
      ready: () => 'starting',
      startup: () => 'storage_unreachable',
    });
    expect((await send('GET', '/livez')).json).toEqual({ reason: 'live' });
    const ready = await send('GET', '/readyz');
    expect([ready.status, ready.json]).toEqual([503, { reason: 'starting' }]);
    expect(ready.headers.get('content-type')).toBe('application/json');
    expect((await send('GET', '/startupz')).json).toEqual({ reason: 'storage_unreachable' });
    expect(failedProbes).toEqual(['/readyz starting', '/startupz storage_unreachable']);
  });

  const others = [
    ['GET', '/healthz'],
    ['GET', '/info'],
    ['GET', '/tables'],
    ['POST', '/tables'],
    ['POST', '/execute'],
    ['OPTIONS', '/execute'],
    ['GET', '/nothing'],
    ['PUT', '/tables'],
  ] as const;
  for (const [method, path] of others) {
    test(`${method} ${path} is 503 and says when to try again`, async () => {
      const { send, incidents } = openTestHandler({});
      const answer = await send(method, path);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(answer.json).toMatchObject({
        status: 503,
        code: 'internal',
        reason: 'storage_unavailable',
      });
      expect(incidents).toEqual([]);
    });
  }

  test('QUERY carries its headers', async () => {
    const { send } = openTestHandler({});
    const { status, headers } = await send('QUERY', '/execute', { body: '{}', headers: lir });
    expect(status).toBe(503);
    expect(headers.get('accept-query')).toBe('"application/vnd.svc.lir+json"');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toBe('Accept, Authorization, Content-Encoding, Content-Type');
  });
});

describe('the host', () => {
  const own = [
    'localhost',
    'LOCALHOST:7237',
    'localhost.:1',
    'db.localhost:80',
    '127.0.0.1',
    '127.1.2.3:7237',
    '[::1]',
    '[::1]:7237',
    '[0:0:0:0:0:0:0:1]:1',
  ];
  const foreign = [
    'evil.example',
    'evil.example:7237',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'notlocalhost',
    '10.0.0.1:7237',
    '0.0.0.0:7237',
    '[::2]',
    'localhost:port',
    'localhost@evil.example',
    '',
  ];
  for (const host of own) {
    test(`${host} is this machine`, async () => {
      const { send } = openTestHandler({});
      expect((await send('GET', '/livez', { headers: { host } })).status).toBe(200);
    });
  }
  for (const host of foreign) {
    test(`${JSON.stringify(host)} is refused`, async () => {
      const { send } = openTestHandler({ engine: await openMemoryEngine() });
      for (const path of ['/info', '/livez', '/nothing']) {
        const answer = await send('GET', path, { headers: { host } });
        expect(answer.status).toBe(403);
        expect(answer.json).toMatchObject({
          code: 'invalid',
          location: { pointer: '/header/host' },
        });
        expect(answer.json.detail).toContain(`"${host}"`);
      }
    });
  }

  test('one that passed does not open the door for the next', async () => {
    const { send } = openTestHandler({});
    const statusOf = async (host: string) =>
      (await send('GET', '/livez', { headers: { host } })).status;
    expect([
      await statusOf('localhost'),
      await statusOf('evil.example'),
      await statusOf('localhost'),
    ]).toEqual([200, 403, 200]);
  });

  test('beyond loopback any name will do', async () => {
    const { send } = openTestHandler({}, { loopbackOnly: false });
    expect((await send('GET', '/livez', { headers: { host: 'db.example' } })).status).toBe(200);
  });
});

describe("the server's own faults", () => {
  const failing = (error: unknown) =>
    ({
      requestContext: () => ({
        budget: neverYield,
        principal: anyone,
        reserveForBody: () => {},
        close: () => {},
      }),
      plans: new PlanCache(),
      execute: () => Promise.reject(error),
    }) as unknown as Engine;
  const run = (error: unknown) => {
    const handler = openTestHandler({ engine: failing(error) });
    const body =
      '{"statements":[{"kind":"query","name":"q","relation":{"nodes":{"r":{"kind":"scan","table":"t","scope":"r"}},"root":{"node":"r","cardinality":"first"}}}]}';
    return { handler, answer: handler.send('POST', '/execute', { body, headers: json }) };
  };

  test('an unexpected error is an incident that response and log share, and its causes are for the log', async () => {
    const error = new TypeError('outer', { cause: new Error('inner') });
    const { handler, answer } = run(error);
    const { status, json: problem } = await answer;
    expect(status).toBe(500);
    expect(problem).toMatchObject({ code: 'internal', reason: 'internal' });
    expect(problem.detail).toBe('internal failure');
    expect(describeChain(error)).toBe('TypeError: outer; caused by Error: inner');
    expect(problem.incident).toMatch(/^[0-9a-f]{16}$/);
    expect(handler.incidents).toEqual([
      { incident: problem.incident as string, error, path: '/execute' },
    ]);
  });

  test('trouble of the storage is storage_unavailable', async () => {
    const cause = new Error('ENOSPC: no space');
    const error = new StorageError({ kind: 'full', operation: 'write', object: 'wal/1' }, cause);
    const { handler, answer } = run(error);
    const { status, json: problem } = await answer;
    expect([status, problem.reason, problem.stage]).toEqual([
      500,
      'storage_unavailable',
      'storage',
    ]);
    expect(problem.detail).toBe('no space left on the device: write wal/1');
    expect(handler.incidents.length).toBe(1);
  });

  test('an unknown outcome of a commit is logged, too', async () => {
    const { handler, answer } = run(
      fail('commit_outcome_unknown', 'who knows', { cause: new Error('log') }),
    );
    expect((await answer).json).toMatchObject({
      reason: 'commit_outcome_unknown',
      detail: 'who knows',
      incident: handler.incidents[0]?.incident as string,
    });
  });

  test('what is no fault of the server is no incident', async () => {
    for (const error of [
      fail('constraint_violation', 'x'),
      fail('overloaded', 'x', { retryAfterSeconds: 2 }),
    ]) {
      const { handler, answer } = run(error);
      const { json: problem, headers } = await answer;
      expect(problem).not.toHaveProperty('incident');
      expect(handler.incidents).toEqual([]);
      if (problem.status === 503) expect(headers.get('retry-after')).toBe('2');
    }
  });

  test('QUERY carries its headers on them as well', async () => {
    const { send } = openTestHandler({ engine: failing(new Error('no')) });
    const body =
      '{"nodes":{"r":{"kind":"scan","table":"t","scope":"r"}},"root":{"node":"r","cardinality":"first"}}';
    const { status, headers } = await send('QUERY', '/execute', { body, headers: lir });
    expect([status, headers.get('accept-query')]).toEqual([500, '"application/vnd.svc.lir+json"']);
  });
});

test('requests are told when they are over, successful probes are not', async () => {
  const { send, completed } = openTestHandler({
    engine: await openMemoryEngine(),
    ready: () => 'draining',
  });
  for (const path of ['/livez', '/readyz', '/tables', '/nothing']) await send('GET', path);
  expect(completed).toEqual(['GET /readyz 503', 'GET /tables 200', 'GET /nothing 404']);
});

test('names in a path are decoded, slashes and all', async () => {
  const { send } = openTestHandler({ engine: await openMemoryEngine() });
  const name = 'a/b %é?';
  const table = { name, columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] };
  expect(
    (await send('POST', '/tables', { body: JSON.stringify(table), headers: json })).status,
  ).toBe(200);
  const path = `/tables/${encodeURIComponent(name)}`;
  const column = '{"name":"x/y","type":"text","nullable":true}';
  expect((await send('POST', `${path}/columns`, { body: column, headers: json })).status).toBe(200);
  const dropped = await send('DELETE', `${path}/columns/x%2Fy`);
  expect([dropped.status, dropped.json.name]).toEqual([200, name]);
  expect((await send('DELETE', path)).status).toBe(204);
});
