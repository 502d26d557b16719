/** The table of routes says what the application has, and decides between 404 and 405. */

import { describe, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import type { Lifecycle } from '#http';
import { createApp } from '../../src/http/app.ts';
import { httpContext } from '../../src/http/context.ts';
import { methodsOf, routeTable } from '../../src/http/routes/route-table.ts';
import { openMemoryEngine, openTestHandler, testLimits } from './support.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];

function realRoutes(): string[] {
  const { random, clock, scheduler } = systemWorld();
  const lifecycle: Lifecycle = {
    access: 'write',
    engine: undefined,
    live: () => 'live',
    ready: () => 'serving',
    startup: () => 'started',
  };
  const limits = { ...testLimits, bodyBytesMax: 1, depthMax: 1 };
  const world = { random, clock, scheduler };
  const context = httpContext({ lifecycle, limits, ...world, onInternalError: () => {} });
  return createApp(context).routes.map(({ method, path }) => `${method} ${path}`);
}

test('the table and the application have the same routes', () => {
  // HEAD follows from GET.
  const table = routeTable.flatMap(({ path, methods }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
  );
  expect(realRoutes().toSorted()).toEqual(table.toSorted());
  for (const row of routeTable) {
    expect([row.path, row.methods.includes('HEAD')]).toEqual([
      row.path,
      row.methods.includes('GET'),
    ]);
  }
});

describe('another method', () => {
  for (const { path, methods: allowed } of routeTable) {
    const wrong = methods.filter((method) => !allowed.includes(method));
    test(`on ${path} is 405: ${wrong.join(' ')}`, async () => {
      const { send } = openTestHandler({ engine: await openMemoryEngine() });
      for (const method of wrong) {
        const answer = await send(method, path.replaceAll(':', ''));
        expect([method, answer.status]).toEqual([method, 405]);
        expect(answer.headers.get('allow')).toBe(allowed.join(', '));
        expect(answer.headers.get('content-type')).toBe('application/problem+json');
        if (method === 'HEAD') continue;
        expect(answer.json).toMatchObject({
          code: 'invalid',
          reason: 'method_not_allowed',
          stage: 'schema',
        });
      }
    });
  }
});

describe('HEAD', () => {
  for (const { path, methods: allowed } of routeTable) {
    if (!allowed.includes('HEAD')) continue;
    test(`on ${path} is GET without a body`, async () => {
      const { send } = openTestHandler({ engine: await openMemoryEngine() });
      const get = await send('GET', path);
      const head = await send('HEAD', path);
      expect([head.status, head.text]).toEqual([get.status, '']);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    });
  }
});

test('what is no route', () => {
  for (const path of [
    '/tables/',
    '//tables',
    '/Tables',
    '/tables/x/columns/',
    '/tables//columns',
    '/execute/',
  ]) {
    expect([path, methodsOf(path)]).toEqual([path, undefined]);
  }
});

test('the root says what is there', async () => {
  const { send } = openTestHandler({ engine: await openMemoryEngine() });
  const { status, json } = await send('GET', '/');
  expect(status).toBe(200);
  expect(json).toMatchObject({ name: 'svc', routes: expect.arrayContaining(['GET, HEAD /info']) });
});

describe('unknown paths', () => {
  for (const path of ['/tables/', '//tables', '/%74ables', '/tables/x/y', '/livez/']) {
    test(`${path} is 404`, async () => {
      const { send } = openTestHandler({ engine: await openMemoryEngine() });
      const answer = await send('GET', path);
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({
        code: 'not_found',
        reason: 'not_found',
        stage: 'preflight',
        resource: { kind: 'route' },
      });
    });
  }
});

test('/llms.txt is the page for agents, as it stands in docs/', async () => {
  const { send } = openTestHandler({ engine: await openMemoryEngine() });
  const answer = await send('GET', '/llms.txt');
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.text).toBe(await Bun.file('docs/agents.md').text());
});
