/** What is refused before any program runs: routes, methods, media types, sizes, nesting, JSON (docs/errors.md). */

import { describe, expect, test } from 'bun:test';
import { openTestDatabase, type Reply } from '../support/database.ts';

function problem(reply: Reply) {
  const { code, reason, status, stage } = reply.json as Record<string, unknown>;
  expect(reply.headers.get('content-type')).toBe('application/problem+json');
  expect(status).toBe(reply.status);
  return { status: reply.status, code, reason, stage };
}

const violation = { code: 'invalid', reason: 'schema_violation', stage: 'schema' };

describe('routes and methods', () => {
  test('an unknown route is 404 with its kind', async () => {
    await using db = await openTestDatabase();
    const reply = await db.send('GET', '/nope');
    expect(problem(reply)).toEqual({
      status: 404,
      code: 'not_found',
      reason: 'not_found',
      stage: 'preflight',
    });
    expect((reply.json as { resource: unknown }).resource).toEqual({ kind: 'route' });
  });

  test('another method is 405 and says which are allowed', async () => {
    await using db = await openTestDatabase();
    const reply = await db.send('PUT', '/tables/x');
    expect(problem(reply).reason).toBe('method_not_allowed');
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('PATCH, DELETE');
  });

  test('OPTIONS describes the execute target', async () => {
    await using db = await openTestDatabase();
    const reply = await db.send('OPTIONS', '/execute');
    expect(reply.status).toBe(204);
    expect(reply.headers.get('allow')).toBe('OPTIONS, POST, QUERY');
    expect(reply.headers.get('accept-query')).toBe('"application/vnd.svc.lir+json"');
  });

  test('HEAD on a GET route has no body', async () => {
    await using db = await openTestDatabase();
    const reply = await db.send('HEAD', '/info');
    expect([reply.status, reply.text]).toEqual([200, '']);
  });
});

describe('bodies', () => {
  const refused: readonly (readonly [string, string, Record<string, string>, number])[] = [
    ['malformed JSON', '{', {}, 400],
    ['an empty body', '', {}, 400],
    ['an empty object', '{}', {}, 400],
    ['an array', '[]', {}, 400],
    ['another media type', '{}', { 'content-type': 'text/plain' }, 415],
    ['a compressed body', '{}', { 'content-encoding': 'gzip' }, 415],
    ['a lone surrogate', '{"statements":[],"result":"\\ud800"}', {}, 400],
  ];
  for (const [what, body, headers, status] of refused) {
    test(`${what} is refused with ${status}`, async () => {
      await using db = await openTestDatabase();
      expect(problem(await db.send('POST', '/execute', body, headers))).toEqual({
        status,
        ...violation,
      });
    });
  }

  test('another media type is named beside the right one', async () => {
    await using db = await openTestDatabase();
    const reply = await db.send('POST', '/execute', '{}', { 'content-type': 'text/plain' });
    expect(reply.json).toMatchObject({
      detail: 'the content type must be application/json, not text/plain',
    });
  });

  test('a media type parameter is ignored', async () => {
    await using db = await openTestDatabase();
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await db.send('POST', '/execute', '{}', headers)).status).toBe(400);
  });

  test('a body above 4 MiB is 413', async () => {
    await using db = await openTestDatabase();
    const body = `{"statements":"${'x'.repeat(4 << 20)}"}`;
    expect(problem(await db.send('POST', '/execute', body))).toEqual({ status: 413, ...violation });
  });

  test('nesting beyond 1,024 levels is refused before parsing', async () => {
    await using db = await openTestDatabase();
    const body = `${'['.repeat(1025)}${']'.repeat(1025)}`;
    const reply = await db.send('POST', '/execute', body);
    expect(problem(reply)).toEqual({ status: 400, ...violation });
    expect((reply.json as { detail: string }).detail).toContain('1024');
  });

  test('brackets inside text do not count as nesting', async () => {
    await using db = await openTestDatabase();
    const reply = await db.send('POST', '/execute', JSON.stringify({ x: '['.repeat(5000) }));
    expect((reply.json as { detail: string }).detail).not.toContain('1024');
  });

  test('a byte order mark before a body is dropped, once', async () => {
    await using db = await openTestDatabase();
    const mark = '\ufeff';
    const relation = JSON.stringify({
      nodes: {
        r: { kind: 'rows', scope: 'r', columns: [{ name: 't', type: 'text' }], rows: [[mark]] },
      },
      root: { node: 'r', cardinality: 'exactly_one' },
    });
    const program = `{"statements":[{"kind":"query","name":"q","relation":${relation}}]}`;
    for (const body of [program, program.padEnd(100_000)]) {
      const reply = await db.send('POST', '/execute', mark + body);
      // Inside a text it is a character as any other.
      expect([reply.status, reply.json]).toMatchObject([200, { result: { t: mark } }]);
      expect((await db.send('POST', '/execute', mark + mark + body)).status).toBe(400);
    }
    const headers = { 'content-type': 'application/vnd.svc.lir+json' };
    const query = await db.send('QUERY', '/execute', mark + relation, headers);
    expect([query.status, query.json]).toEqual([200, { t: mark }]);
    const table = { name: 't', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] };
    expect((await db.send('POST', '/tables', mark + JSON.stringify(table))).status).toBe(200);
    const empty = await db.send('POST', '/execute', mark);
    expect((empty.json as { detail: string }).detail).toBe('request body is required');
  });

  test('bytes that are no UTF-8 are refused', async () => {
    await using db = await openTestDatabase();
    const body = Buffer.from('7b2261223a22ff227d', 'hex').toString('latin1');
    const reply = await db.send('POST', '/execute', body);
    expect(reply.status).toBe(400);
  });
});

describe('parameters', () => {
  test('a boolean that is none is refused with its pointer', async () => {
    await using db = await openTestDatabase();
    const reply = await db.send('POST', '/execute?dry-run=yes', '{"statements":[]}');
    expect(problem(reply)).toEqual({ status: 400, ...violation });
    expect((reply.json as { location: unknown }).location).toEqual({ pointer: '/query/dry-run' });
  });

  test('one that the operation does not know is refused, and nothing happens', async () => {
    await using db = await openTestDatabase();
    const table = (name: string) => ({
      name,
      columns: [{ name: 'id', type: 'int64' }],
      primary_key: ['id'],
    });
    await db.send('POST', '/tables', table('t'));
    for (const [method, path, body] of [
      ['POST', '/tables?dry-run=true', table('other')],
      ['DELETE', '/tables/t?dry-run=true', undefined],
      ['POST', '/schema/migrate?dry-run=true', {}],
      ['POST', '/schema/diff?x', {}],
      ['GET', '/schema/transitions?stat=ready', undefined],
      ['GET', '/schema/transitions/tr1?waits=1s', undefined],
      ['POST', '/schema/transitions/tr1/cancel?x=1', undefined],
    ] as const) {
      const reply = await db.send(method, path, body);
      expect([path, problem(reply)]).toEqual([path, { status: 400, ...violation }]);
      expect((reply.json as { detail: string }).detail).toStartWith('unknown parameter');
    }
    const { json } = await db.send('GET', '/tables');
    expect(JSON.stringify(json).match(/"name":"(?:t|other)"/g)).toEqual(['"name":"t"']);
  });

  test('bad percent-encoding in a path is refused', async () => {
    await using db = await openTestDatabase();
    const reply = await db.send('DELETE', '/tables/%zz');
    expect(problem(reply)).toEqual({ status: 400, ...violation });
  });
});

describe('diagnostics', () => {
  test('an unknown level is 400, a known one may be above the maximum of this server', async () => {
    await using db = await openTestDatabase();
    const send = (level: string) => db.send('POST', '/execute', '{}', { 'svc-diagnostics': level });
    expect((await send('loud')).status).toBe(400);
    expect(problem(await send('detailed'))).toEqual({
      status: 403,
      code: 'invalid',
      reason: 'diagnostics_rejected',
      stage: 'schema',
    });
  });
});
