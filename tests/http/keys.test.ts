/** The endpoints of API keys: what they answer, and that no answer repeats a key. */

import { afterEach, describe, expect, test } from 'bun:test';
import { anyone, drawKey, principalOfKey } from '#access';
import { systemWorld } from '#base';
import type { Engine } from '#engine';
import { fail } from '#failure';
import { databaseOver, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { keyPrincipal } from '../support/principals.ts';

const open: TestDatabase[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db[Symbol.asyncDispose]();
});

async function opened(): Promise<TestDatabase> {
  const db = await openTestDatabase('direct', {
    tables: [{ id: 1, name: 'orders', columns: [{ id: 1, name: 'id', type: 'int64', pk: true }] }],
  } as never);
  open.push(db);
  return db;
}

/** The application with authentication by the keys of the engine. */
function withKeys(engine: Engine, more: Parameters<typeof databaseOver>[2] = {}): TestDatabase {
  const authenticator = {
    authenticate: ({ authorization }: { authorization: string | null }) => {
      const id = authorization?.slice('Bearer svck_'.length, 'Bearer svck_'.length + 12) ?? '';
      const key = engine.keys.current.find(id);
      if (key === undefined) throw fail('invalid_token', 'no');
      return principalOfKey(key);
    },
  };
  return databaseOver(engine, undefined, { authenticator, ...more });
}

type Json = Record<string, unknown>;
const app = { name: 'app', scopes: ['read', 'write'], grants: ['orders:read,create'] };
const root = { name: 'root', scopes: ['admin'] };
const everyOrder = {
  nodes: { s: { kind: 'scan', table: 'orders', scope: 's' } },
  root: { node: 's', cardinality: 'first' },
};

/** A body that arrives when `arrive` is called. */
function lateBody(sent: unknown) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      await promise;
      controller.enqueue(new TextEncoder().encode(JSON.stringify(sent)));
      controller.close();
    },
  });
  return { body, arrive: resolve };
}

describe('keys', () => {
  test('are created, listed, rotated and revoked', async () => {
    const { send } = await opened();
    const made = await send('POST', '/auth/keys', {
      ...app,
      claims: { org: 7 },
      limits: { rate: 5 },
    });
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { key, ...record } = made.json as Json;
    expect(record).toMatchObject({ ...app, claims: { org: 7 }, limits: { rate: 5 }, by: 'open' });
    expect((await send('GET', '/auth/keys')).json).toEqual({ auth_version: 1, keys: [record] });
    const rotated = await send('POST', `/auth/keys/${record.id}/rotate`, { grace: '1h' });
    expect([rotated.status, (rotated.json as Json).replaces]).toEqual([201, record.id]);
    expect((rotated.json as Json).key).not.toBe(key);
    const again = await send('POST', `/auth/keys/${record.id}/rotate`);
    expect(again.status).toBe(201);
    for (let i = 0; i < 2; i++) {
      const gone = await send('DELETE', `/auth/keys/${record.id}`);
      expect([gone.status, gone.text]).toEqual([204, '']);
    }
    const listed = (await send('GET', '/auth/keys')).json as { auth_version: number; keys: Json[] };
    expect(listed.auth_version).toBe(4);
    expect(listed.keys.map((one) => one.revoked_at !== undefined)).toEqual([true, false, false]);
    const revived = await send('POST', `/auth/keys/${record.id}/rotate`, {});
    expect([revived.status, (revived.json as Json).reason]).toEqual([422, 'invalid']);
  });

  test('have all their limits and the time of their last use', async () => {
    const { send, engine } = await opened();
    const limits = { rate: 5, concurrency: 2, deadline_ms: 1000, memory_mib: 64 };
    const { id } = (await send('POST', '/auth/keys', { ...app, limits })).json as Json;
    engine.keys.noteUse(id as string);
    const { keys } = (await send('GET', '/auth/keys')).json as { keys: Json[] };
    expect(keys).toMatchObject([{ limits, last_used_at: expect.stringMatching(/^2/) }]);
  });

  test.each<[string, unknown, string, string]>([
    ['without a scope', { name: 'a', scopes: [] }, 'invalid', '/scopes'],
    ['with an unknown scope', { name: 'a', scopes: ['x'] }, 'invalid', '/scopes/0'],
    ['with an unknown table', { ...app, grants: ['x:read'] }, 'unknown_table', '/grants/0'],
    ['with an unknown action', { ...app, grants: ['orders:x'] }, 'invalid', '/grants/0'],
    [
      'that changes what it cannot read',
      { ...app, grants: ['orders:update'] },
      'invalid',
      '/grants/0',
    ],
    ['of an admin with grants', { ...root, grants: [] }, 'invalid', '/grants'],
    ['with an unknown member', { ...app, key: 'x' }, 'schema_violation', '/body/key'],
    ['with another type', { ...app, scopes: 'read' }, 'schema_violation', '/body/scopes'],
    [
      'with a claim that is no scalar',
      { ...app, claims: { a: [] } },
      'schema_violation',
      '/body/claims/a',
    ],
    [
      'with a claim beyond 2^53',
      `{"name":"a","scopes":["read"],"claims":{"a":9007199254740993}}`,
      'invalid',
      '/claims/a',
    ],
    [
      'with a claim in another notation',
      `{"name":"a","scopes":["read"],"claims":{"value":5.0}}`,
      'invalid',
      '/claims/value',
    ],
    ['with a limit of 0', { ...app, limits: { rate: 0 } }, 'schema_violation', '/body/limits/rate'],
    ['with a wrong duration', { ...app, expires_in: '1w' }, 'invalid', '/expires_in'],
  ])('%s are refused', async (_, body, reason, pointer) => {
    const db = await opened();
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await db.send('POST', '/auth/keys', body, headers);
    const problem = json as { reason: string; location?: { pointer?: string } };
    expect([status, problem.reason, problem.location?.pointer]).toEqual([422, reason, pointer]);
    expect(db.engine.keys.current.version).toBe(0);
  });

  test('of a wrong grace or an unknown id are not rotated', async () => {
    const { send } = await opened();
    const { id } = (await send('POST', '/auth/keys', app)).json as { id: string };
    const wrong = await send('POST', `/auth/keys/${id}/rotate`, { grace: '1w' });
    expect([wrong.status, (wrong.json as Json).location]).toEqual([422, { pointer: '/grace' }]);
    for (const [method, path] of [
      ['POST', '/rotate'],
      ['DELETE', ''],
    ] as const) {
      const missing = await send(method, `/auth/keys/${'0'.repeat(12)}${path}`);
      expect([missing.status, (missing.json as Json).reason]).toEqual([404, 'not_found']);
    }
  });

  test('are repeated by no answer, wherever a client puts them', async () => {
    const { send } = await opened();
    const { text } = drawKey(systemWorld().random);
    const answers = await Promise.all([
      send('DELETE', `/auth/keys/${text}`),
      send('POST', `/auth/keys/${text}/rotate`, {}),
      send('GET', `/auth/keys/${text}`),
      send('PUT', `/auth/keys/${text}/rotate`),
      send('GET', `/auth/keys/x/${text}`),
      send('POST', '/auth/keys', { name: text, scopes: [text] }),
      send('POST', '/auth/keys', { ...app, policies: text, expires_in: text }),
      send('POST', '/auth/keys', { ...app, [text]: 1 }),
      send('POST', '/auth/keys', { ...app, grants: [`${text}:read`] }),
      send('POST', '/auth/keys', { ...app, claims: { own: text } }),
      send('POST', '/auth/keys', { ...app, claims: { [text]: 'own' } }),
      send('POST', `/auth/keys?${text}=1`, app),
      send('DELETE', `/tables/${text}`),
      send('GET', `/schema/transitions/${text}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      ...[404, 404, 405, 405, 404, 422, 422],
      ...[422, 422, 422, 422, 400, 422, 404],
    ]);
    const secret = text.slice(18, 50);
    for (const answer of answers) expect(answer.text).not.toContain(secret);
  });

  test('are not changed on a reader', async () => {
    const { engine } = await opened();
    const lifecycle = {
      ...{ access: 'read', engine, live: () => 'live', ready: () => 'serving' },
      startup: () => 'started',
    } as never;
    const { send } = databaseOver(engine, undefined, { lifecycle });
    for (const [method, path] of [
      ['POST', '/auth/keys'],
      ['DELETE', `/auth/keys/${'0'.repeat(12)}`],
      ['POST', `/auth/keys/${'0'.repeat(12)}/rotate`],
    ] as const) {
      const { status, json } = await send(method, path);
      expect([status, (json as Json).reason]).toEqual([403, 'read_only']);
    }
  });

  test.each([
    ['POST', '/auth/keys', root],
    ['POST', '/execute', { statements: [{ kind: 'query', name: 'q', relation: everyOrder }] }],
    ['POST', '/schema/diff', { schema: 'tables: []' }],
    ['POST', '/schema/compatibility', { schema_version: 1, schema_hash: 'x' }],
  ])('that are revoked while the body of %s %s arrives do nothing', async (method, path, sent) => {
    const { engine } = await opened();
    await engine.keys.create(root, 'offline', anyone);
    const { id, key } = await engine.keys.create(root, 'offline', anyone);
    const { version } = engine.keys.current;
    const { handle } = withKeys(engine);
    const { body, arrive } = lateBody(sent);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = new Request(`http://localhost${path}`, { method, headers, body });
    const answering = handle(request);
    await engine.keys.revoke(id, anyone);
    arrive();
    const { reason } = (await (await answering).json()) as Json;
    expect([reason, engine.keys.current.version]).toEqual(['invalid_token', version + 1]);
  });

  test('a token that ends while the body arrives does nothing', async () => {
    const { engine } = await opened();
    let isValid = true;
    const principal = keyPrincipal('i s', { kind: 'token', isValidAt: () => isValid });
    const { handle } = databaseOver(engine, undefined, {
      authenticator: { authenticate: () => principal },
    });
    const { body, arrive } = lateBody(root);
    const headers = { 'content-type': 'application/json' };
    const request = new Request('http://localhost/auth/keys', { method: 'POST', headers, body });
    const answering = handle(request);
    isValid = false;
    arrive();
    const { reason } = (await (await answering).json()) as Json;
    expect([reason, engine.keys.current.version]).toEqual(['invalid_token', 0]);
  });

  test('are not created from an object with a member twice', async () => {
    const { engine } = await opened();
    const { handle } = databaseOver(engine);
    const headers = { 'content-type': 'application/json' };
    const send = async (path: string, body: string) => {
      const sent = new Request(`http://localhost${path}`, { method: 'POST', headers, body });
      const { reason, detail } = (await (await handle(sent)).json()) as Json;
      return [reason, detail];
    };
    const refusal = [
      'schema_violation',
      'the request contains a member twice, so its meaning depends on the reader; send each member once',
    ];
    const twice = '{"name":"k","scopes":["read"],"\\u0073copes":["admin"]}';
    expect(await send('/auth/keys', twice)).toEqual(refusal);
    const grace = '{"grace":"1h","grace":"0s"}';
    expect(await send(`/auth/keys/${'0'.repeat(12)}/rotate`, grace)).toEqual(refusal);
    expect(engine.keys.current.version).toBe(0);
  });

  test('are not created by open clients of a server that others reach', async () => {
    const { engine } = await opened();
    const keys = { tokensCanBeAdmins: false, refusesOpenClients: true };
    const { send } = databaseOver(engine, undefined, { keys });
    const { status, json } = await send('POST', '/auth/keys', root);
    expect([status, (json as Json).reason]).toEqual([403, 'insufficient_scope']);
    const admin = await engine.keys.create(root, 'offline', anyone);
    const authorization = `Bearer ${admin.key}`;
    const made = await withKeys(engine, { keys }).send('POST', '/auth/keys', root, {
      authorization,
    });
    expect([made.status, (made.json as Json).by]).toEqual([201, admin.id]);
  });

  test('of the last admin are revoked only if tokens can be admins', async () => {
    const { engine, send } = await opened();
    const { id } = (await send('POST', '/auth/keys', root)).json as { id: string };
    const last = await send('DELETE', `/auth/keys/${id}`);
    expect([last.status, (last.json as Json).reason]).toEqual([422, 'invalid']);
    const keys = { tokensCanBeAdmins: true, refusesOpenClients: false };
    const other = databaseOver(engine, undefined, { keys });
    expect((await other.send('DELETE', `/auth/keys/${id}`)).status).toBe(204);
  });
});

describe('a client sees itself', () => {
  test('as open, as a key, and as a token', async () => {
    const { engine, send } = await opened();
    const everything = ['read', 'write', 'schema', 'metrics', 'admin'];
    expect((await send('GET', '/auth/self')).json).toEqual({
      ...{ kind: 'open', scopes: everything, policies: 'bypass' },
    });
    const made = await engine.keys.create(app, 'offline', anyone);
    const authorization = `Bearer ${made.key}`;
    const own = await withKeys(engine).send('GET', '/auth/self', undefined, { authorization });
    expect(own.json).toEqual({
      ...{ kind: 'key', id: made.id, scopes: app.scopes, grants: app.grants },
      ...{ policies: 'enforce', expires_at: made.expires_at },
    });
    const kind = 'token' as const;
    const issuer = 'https://issuer.test/a b';
    const expiresAtMs = Date.UTC(2030, 0);
    const more = { kind, issuer, expiresAtMs, scopes: new Set(['read'] as const) };
    const token = keyPrincipal(`${issuer} sub ject`, more);
    const authenticator = { authenticate: () => token };
    const third = databaseOver(engine, undefined, { authenticator });
    expect((await third.send('GET', '/auth/self')).json).toEqual({
      ...{ kind: 'token', issuer, id: 'sub ject', scopes: ['read'], policies: 'bypass' },
      expires_at: '2030-01-01T00:00:00.000Z',
    });
  });

  test('and a write with a revoked key gets 401', async () => {
    const { engine } = await opened();
    const { id, key } = await engine.keys.create(
      { ...app, grants: ['orders:create'] },
      'offline',
      anyone,
    );
    const { send } = withKeys(engine);
    const authorization = `Bearer ${key}`;
    const row = {
      kind: 'rows',
      scope: 'r',
      columns: [{ name: 'id', type: 'int64' }],
      rows: [['1']],
    };
    const relation = { nodes: { r: row }, root: { node: 'r', cardinality: 'many' } };
    const program = { statements: [{ kind: 'create', name: 'c', table: 'orders', relation }] };
    await engine.keys.revoke(id, anyone);
    const { status, json } = await send('POST', '/execute', program, { authorization });
    expect([status, (json as Json).reason]).toEqual([401, 'invalid_token']);
  });
});
