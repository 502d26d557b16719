/** Requests over TLS: the own origin, the routes behind short host names, and the promise to browsers. */

import { describe, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { createHandler, type HandlerOptions } from '#http';
import { openMemoryEngine, testLimits } from '../support.ts';

const engine = await openMemoryEngine();

function open(options: Partial<HandlerOptions>) {
  const { random, clock, scheduler } = systemWorld();
  const { handle } = createHandler({
    lifecycle: {
      access: 'write',
      engine,
      live: () => 'live',
      ready: () => 'serving',
      startup: () => 'started',
    },
    limits: testLimits,
    random,
    clock,
    scheduler,
    loopbackOnly: false,
    onInternalError: (_incident, error) => {
      throw error;
    },
    ...options,
  });
  return async (url: string, init: RequestInit = {}) => {
    const host = new URL(url).host;
    const headers = { host, ...(init.headers as Record<string, string>) };
    return await handle(new Request(url, { ...init, headers }));
  };
}

const strict = { secureTransport: { isStrict: true } };

test.each([
  'https://a/livez',
  'https://ab:7/livez',
  'https://[::1]/livez',
  'https://db.example/livez?x=1',
  'http://a/livez',
])('%s is routed', async (url) => {
  const response = await open(strict)(url);
  expect([response.status, await response.json()]).toEqual([200, { reason: 'live' }]);
});

test.each(['https://a/x/livez', 'https://a/execute/livez', 'https://x/livez/livez'])(
  '%s is no route',
  async (url) => {
    expect((await open(strict)(url)).status).toBe(404);
  },
);

describe('the own origin', () => {
  const program = { method: 'POST', body: '{"statements":[]}' };
  const from = async (origin: string, options: Partial<HandlerOptions>, scheme: string) => {
    const headers = { origin, 'content-type': 'application/json' };
    const response = await open(options)(`${scheme}://db.example/execute`, { ...program, headers });
    return response.status;
  };

  test('has the scheme https over TLS', async () => {
    expect(await from('https://db.example', strict, 'https')).not.toBe(403);
    expect(await from('http://db.example', strict, 'https')).toBe(403);
  });

  test('has it behind a proxy that accepts TLS, too', async () => {
    const behind = { secureTransport: { isStrict: false } };
    expect(await from('https://db.example', behind, 'http')).not.toBe(403);
    expect(await from('http://db.example', behind, 'http')).toBe(403);
  });

  test('has the scheme http otherwise', async () => {
    expect(await from('http://db.example', {}, 'http')).not.toBe(403);
    expect(await from('https://db.example', {}, 'http')).toBe(403);
  });
});

describe('browsers', () => {
  const promised = async (options: Partial<HandlerOptions>, path: string) =>
    (await open(options)(`https://db.example${path}`)).headers.get('strict-transport-security');

  test.each(['/livez', '/tables', '/nothing'])('use TLS for a year after %s', async (path) => {
    expect(await promised(strict, path)).toBe('max-age=31536000');
  });

  test('learn nothing from a server on loopback, behind a proxy or without TLS', async () => {
    expect(await promised({ secureTransport: { isStrict: false } }, '/livez')).toBeNull();
    expect(await promised({}, '/livez')).toBeNull();
  });
});
