/** Who may ask what from a browser: each method and place of origin, with CORS off and on. */

import { describe, expect, test } from 'bun:test';
import { openMemoryEngine, openTestHandler } from '../support.ts';

const engine = await openMemoryEngine();
const named = 'https://app.example';
const off = openTestHandler({ engine });
const on = openTestHandler({ engine }, { corsOrigins: [named] });

/** What browsers send, and whether it may change something. */
const places: readonly {
  readonly from: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly off: boolean;
  readonly on: boolean;
}[] = [
  { from: 'no browser', headers: {}, off: true, on: true },
  { from: 'the address bar', headers: { 'sec-fetch-site': 'none' }, off: true, on: true },
  {
    from: 'a page of the same origin',
    headers: { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
    off: true,
    on: true,
  },
  {
    from: 'the own address under another scheme',
    headers: { origin: 'https://localhost', 'sec-fetch-site': 'same-origin' },
    off: false,
    on: false,
  },
  {
    from: 'an old browser, elsewhere',
    headers: { origin: 'https://evil.example' },
    off: false,
    on: false,
  },
  {
    from: 'another site',
    headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    off: false,
    on: false,
  },
  {
    from: 'another site that hides its origin',
    headers: { 'sec-fetch-site': 'cross-site' },
    off: false,
    on: false,
  },
  {
    from: 'another port of this machine',
    headers: { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
    off: false,
    on: false,
  },
  {
    from: 'a sibling without origin',
    headers: { 'sec-fetch-site': 'same-site' },
    off: false,
    on: false,
  },
  { from: 'a sandboxed frame', headers: { origin: 'null' }, off: false, on: false },
  {
    from: 'a name that begins like the own one',
    headers: { origin: 'http://localhost.evil.example' },
    off: false,
    on: false,
  },
  { from: 'an origin without a scheme', headers: { origin: 'localhost' }, off: false, on: false },
  {
    from: 'the own origin, said to be another site',
    headers: { origin: 'http://localhost', 'sec-fetch-site': 'cross-site' },
    off: false,
    on: false,
  },
  {
    from: 'a named origin',
    headers: { origin: named, 'sec-fetch-site': 'cross-site' },
    off: false,
    on: true,
  },
];

const changing = [
  ['POST', '/schema/transitions/tr4/cancel'],
  ['POST', '/execute'],
  ['POST', '/schema/migrate'],
  ['POST', '/schema/diff'],
  ['POST', '/tables'],
  ['PATCH', '/tables/t'],
  ['DELETE', '/tables/t'],
  ['DELETE', '/tables/t/indexes/i'],
  ['PUT', '/nothing'],
] as const;
const reading = [
  ['GET', '/tables'],
  ['GET', '/livez'],
  ['GET', '/schema/transitions'],
  ['HEAD', '/info'],
  ['QUERY', '/execute'],
  ['OPTIONS', '/execute'],
] as const;
const host = { host: 'localhost' };

for (const mode of ['off', 'on'] as const) {
  const { send } = mode === 'off' ? off : on;
  describe(`CORS ${mode}`, () => {
    for (const place of places) {
      const mayChange = place[mode];
      test(`${place.from} ${mayChange ? 'may' : 'may not'} change something`, async () => {
        for (const [method, path] of changing) {
          const { status, json } = await send(method, path, {
            headers: { ...host, ...place.headers },
          });
          expect([method, path, status === 403]).toEqual([method, path, !mayChange]);
          if (mayChange) continue;
          expect(json).toMatchObject({ code: 'invalid', reason: 'invalid', stage: 'preflight' });
          expect(json.detail).toContain('--cors-origin');
        }
      });

      test(`${place.from} may read`, async () => {
        for (const [method, path] of reading) {
          const { status } = await send(method, path, { headers: { ...host, ...place.headers } });
          expect([method, path, status === 403]).toEqual([method, path, false]);
        }
      });
    }
  });
}

describe('a preflight', () => {
  const preflight = (origin: string) => ({
    headers: { ...host, origin, 'access-control-request-method': 'QUERY' },
  });

  test('of a named origin is answered before routing and before the database is open', async () => {
    const early = openTestHandler({}, { corsOrigins: [named] });
    for (const { send } of [on, early]) {
      const { status, headers, text } = await send('OPTIONS', '/anything', preflight(named));
      expect([status, text]).toEqual([204, '']);
      expect(Object.fromEntries(headers)).toEqual({
        'access-control-allow-origin': named,
        'access-control-allow-methods': 'GET, POST, QUERY, PATCH, DELETE, OPTIONS',
        'access-control-allow-headers':
          'authorization, content-type, if-none-match, svc-deadline-ms, svc-diagnostics, traceparent, tracestate, svc-relay-format',
        'access-control-expose-headers': 'etag, accept-query, allow, retry-after',
        'access-control-max-age': '600',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        vary: 'Origin, Authorization',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  test('of another origin is refused', async () => {
    const { status, headers } = await on.send(
      'OPTIONS',
      '/execute',
      preflight('https://evil.example'),
    );
    expect(status).toBe(403);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
  });

  test('is an OPTIONS like any other when CORS is off', async () => {
    expect((await off.send('OPTIONS', '/execute', preflight(named))).status).toBe(204);
    const { status, headers } = await off.send('OPTIONS', '/tables', preflight(named));
    expect(status).toBe(405);
    expect(headers.get('access-control-allow-methods')).toBeNull();
  });
});

describe('answers', () => {
  const of = async ({ send }: typeof on, origin: string, method = 'GET', path = '/tables') =>
    (await send(method, path, { headers: { ...host, origin } })).headers;

  test('can be read by a named origin, problems too', async () => {
    for (const path of ['/tables', '/nothing']) {
      const headers = await of(on, named, 'GET', path);
      expect(headers.get('access-control-allow-origin')).toBe(named);
      expect(headers.get('access-control-expose-headers')).toBe(
        'etag, accept-query, allow, retry-after',
      );
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test('cannot be read by another, and say that they differ by origin', async () => {
    const headers = await of(on, 'https://evil.example');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')).toBe('Authorization, Origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('to QUERY keep what they say of caches', async () => {
    const headers = await of(on, named, 'QUERY', '/execute');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toBe(
      'Accept, Authorization, Content-Encoding, Content-Type, Origin',
    );
  });

  test('carry nothing of this when CORS is off', async () => {
    const names = [...(await of(off, named)).keys()];
    expect(names).toEqual(['content-type']);
  });
});

test('a cancel with the content type of a form is refused, whoever sent it', async () => {
  const path = '/schema/transitions/tr4/cancel';
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const { status } = await off.send('POST', path, { headers: { 'content-type': type } });
    expect(status).toBe(415);
  }
  for (const headers of [{}, { 'content-type': 'application/json' }]) {
    expect((await off.send('POST', path, { headers })).status).toBe(404);
  }
});
