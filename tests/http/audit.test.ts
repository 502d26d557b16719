/** The audit log over HTTP: which requests have lines, and that no line contains a value or a token. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type AuditLevel, AuditLog } from '#authentication';
import { systemWorld } from '#base';
import type { Engine } from '#engine';
import { operations } from '#wire';
import { auditedChangeAt } from '../../src/http/routes/audited-changes.ts';
import { databaseOver, type TestDatabase } from '../support/database.ts';
import { keyPrincipal, readerOf } from '../support/principals.ts';
import { openMemoryEngine } from './support.ts';

let engine: Engine;
let text = '';
let isFull = false;
let nextId = 60;
let syncs = 0;
const audited: Record<string, TestDatabase> = {};

const principals = {
  root: keyPrincipal('root', { kind: 'token' }),
  reader: { ...readerOf('reader', 1), kind: 'token' },
  writer: keyPrincipal('writer', { kind: 'token', scopes: new Set(['write']) }),
  metrics: keyPrincipal('metrics', { kind: 'token', scopes: new Set(['metrics']) }),
} as const;

function databaseAt(level: AuditLevel): TestDatabase {
  const target = {
    append: (lines: string) => {
      if (isFull) throw new Error('full');
      text += lines;
    },
    sync: () => {
      syncs++;
    },
    reopen: () => {},
    close: () => {},
  };
  const authenticate = ({ authorization }: { readonly authorization: string | null }) =>
    principals[(authorization ?? '').slice('Bearer '.length) as keyof typeof principals];
  return databaseOver(engine, undefined, {
    authenticator: { authenticate },
    auditLog: new AuditLog({ target, level, world: systemWorld() }),
  });
}

beforeAll(async () => {
  engine = await openMemoryEngine();
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 't', type: 'text' },
  ];
  const table = { name: 'a', columns, primary_key: ['id'] };
  await databaseOver(engine).send('POST', '/tables', table);
});
afterAll(() => engine.close());
beforeEach(() => {
  text = '';
  isFull = false;
  // An audit log has one line a minute for the refusals of a principal.
  for (const level of ['auth', 'write', 'all'] as const) audited[level] = databaseAt(level);
});

/** Sends a request, and returns its status and the new lines. */
async function send(
  level: AuditLevel,
  name: keyof typeof principals,
  method: string,
  path: string,
  body?: unknown,
) {
  const authorization = `Bearer ${name}`;
  const { status } = await (audited[level] as TestDatabase).send(method, path, body, {
    authorization,
  });
  await new Promise((resolve) => setImmediate(resolve));
  const lines = text.split('\n').slice(0, -1);
  return { status, lines: lines.map((line) => JSON.parse(line)) };
}

const rows = (id: number, t: string) => ({
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: [
        { name: 'id', type: 'int64' },
        { name: 't', type: 'text' },
      ],
      rows: [[String(id), t]],
    },
  },
  root: { node: 'r', cardinality: 'many' },
});
const create = (id: number, t = 'canary') => ({
  statements: [{ kind: 'create', name: 'c', table: 'a', relation: rows(id, t) }],
});
const query = {
  statements: [
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          s: { kind: 'scan', table: 'a', scope: 's' },
          o: {
            kind: 'order',
            input: 's',
            terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }],
          },
        },
        root: { node: 'o', cardinality: 'many' },
      },
    },
  ],
};
const createTable = (name: string) => ({
  statements: [
    {
      kind: 'create_table',
      name: 'x',
      table: { name, columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
    },
  ],
});

const about = (name: string, endpoint: string) => ({
  principal: { kind: 'token', id: name },
  address: '',
  request_id: expect.stringMatching(/^[0-9a-f]{16}$/),
  endpoint,
});

test('a program that lacks the scope of its catalog statement begins no change', async () => {
  const before = syncs;
  const { status, lines } = await send('auth', 'writer', 'POST', '/execute', createTable('x'));
  expect([status, syncs - before]).toEqual([403, 0]);
  expect(lines.map(({ event, outcome }) => [event, outcome])).toEqual([
    ['auth.refused', 'refused'],
  ]);
});

describe('programs', () => {
  test('have no line with the level auth', async () => {
    expect((await send('auth', 'root', 'POST', '/execute', create(1))).lines).toEqual([]);
    expect((await send('auth', 'root', 'POST', '/execute', query)).lines).toEqual([]);
  });

  test('that write have a line with the level write', async () => {
    const { status, lines } = await send('write', 'root', 'POST', '/execute', create(2));
    expect([status, lines]).toEqual([
      200,
      [
        {
          time: expect.any(String),
          event: 'program',
          ...about('root', 'POST /execute'),
          statements: ['create'],
          tables: ['a:create'],
          outcome: 'succeeded',
          affected: 1,
          duration_ms: expect.any(Number),
          fingerprint: expect.any(String),
        },
      ],
    ]);
    expect((await send('write', 'root', 'POST', '/execute', query)).lines).toHaveLength(1);
  });

  test('have a line each time, also with a cached plan or result', async () => {
    for (let i = 0; i < 3; i++) await send('all', 'root', 'POST', '/execute', query);
    for (let i = 0; i < 3; i++) await send('all', 'root', 'POST', '/execute', create(10 + i));
    const { lines } = await send('all', 'root', 'QUERY', '/execute', query.statements[0]?.relation);
    expect(lines.map(({ statements, tables }) => [...statements, ...tables])).toEqual([
      ...Array.from({ length: 3 }, () => ['query', 'a:read']),
      ...Array.from({ length: 3 }, () => ['create', 'a:create']),
      ['query', 'a:read'],
    ]);
    expect(new Set(lines.map(({ fingerprint }) => typeof fingerprint))).toEqual(
      new Set(['string']),
    );
  });

  test('that fail have their reason, and never a value', async () => {
    await send('write', 'root', 'POST', '/execute', create(3));
    const { status, lines } = await send('write', 'root', 'POST', '/execute', create(3));
    expect(status).toBe(422);
    expect(lines[1]).toMatchObject({ outcome: 'failed', reason: 'constraint_violation' });
    expect(text).not.toContain('canary');
    expect(text).not.toContain('Bearer');
  });

  test('that do not run have no line', async () => {
    const { status, lines } = await send('all', 'root', 'POST', '/execute?dry-run=true', create(4));
    expect([status, lines]).toEqual([200, []]);
  });
});

describe('a missing permission has a line', () => {
  test.each([
    ['metrics', 'GET', '/tables', undefined],
    ['metrics', 'POST', '/execute', query],
    ['reader', 'POST', '/execute', create(5)],
  ] as const)('%s %s %s', async (name, method, path, body) => {
    const { status, lines } = await send('auth', name, method, path, body);
    expect([status, lines]).toEqual([
      403,
      [
        {
          time: expect.any(String),
          event: 'auth.refused',
          ...about(name, `${method} ${path}`),
          outcome: 'refused',
          reason: 'insufficient_scope',
          count: 1,
        },
      ],
    ]);
  });
});

describe('changes', () => {
  const table = (name: string) => ({
    name,
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  });
  const key = { name: 'k', scopes: ['read'] };

  test.each([
    ['schema.changed', 'POST', '/tables', table('b'), 200, undefined],
    ['schema.changed', 'DELETE', '/tables/b', undefined, 204, undefined],
    ['schema.changed', 'POST', '/tables', table('a'), 422, 'invalid'],
    ['schema.changed', 'POST', '/tables', '{', 400, 'schema_violation'],
    ['key.revoked', 'DELETE', '/auth/keys/0123456789AB', undefined, 404, 'not_found'],
    ['key.rotated', 'POST', '/auth/keys/0123456789AB/rotate', undefined, 404, 'not_found'],
  ] as const)('%s: %s %s %j', async (event, method, path, body, wanted, reason) => {
    const { status, lines } = await send('auth', 'root', method, path, body);
    const outcome = reason === undefined ? { outcome: 'succeeded' } : { outcome: 'failed', reason };
    const members = { time: expect.any(String), event, ...about('root', `${method} ${path}`) };
    expect([status, lines]).toEqual([
      wanted,
      [
        { ...members, outcome: 'begun' },
        { ...members, ...outcome },
      ],
    ]);
  });

  test('a new key has its id in the second line', async () => {
    const { lines } = await send('auth', 'root', 'POST', '/auth/keys', key);
    const newest = () => [...engine.keys.current.keys()].at(-1)?.id as string;
    const first = newest();
    expect(lines).toMatchObject([
      { event: 'key.created', outcome: 'begun' },
      { event: 'key.created', outcome: 'succeeded', key_id: first },
    ]);
    expect(lines[0]).not.toHaveProperty('key_id');
    text = '';
    const rotated = await send('auth', 'root', 'POST', `/auth/keys/${first}/rotate`);
    expect(rotated.lines[1]).toMatchObject({ event: 'key.rotated', key_id: newest() });
    expect(newest()).not.toBe(first);
  });

  test('a program that changes the catalog has both lines, and that of the program', async () => {
    const { status, lines } = await send('write', 'root', 'POST', '/execute', createTable('c'));
    expect(status).toBe(200);
    expect(lines.map(({ event, outcome }) => [event, outcome])).toEqual([
      ['schema.changed', 'begun'],
      ['schema.changed', 'succeeded'],
      ['program', 'succeeded'],
    ]);
    expect(lines[0]).toMatchObject({ statements: ['create_table'] });
  });

  test('a whole key in the path is not repeated', async () => {
    await send('auth', 'root', 'DELETE', '/auth/keys/svck_0123456789AB_canary');
    expect(text).toContain('DELETE /auth/keys/[redacted]');
    expect(text).not.toContain('canary');
  });

  test.each([
    ['POST', '/tables', table('d')],
    ['POST', '/auth/keys', key],
    ['POST', '/execute', createTable('d')],
  ] as const)('do not happen if the log cannot be written: %s %s', async (method, path, body) => {
    const before = [engine.catalog, engine.keys.current];
    isFull = true;
    expect((await send('auth', 'root', method, path, body)).status).toBe(503);
    expect([engine.catalog, engine.keys.current]).toEqual(before as never);
    isFull = false;
    expect((await send('auth', 'root', 'POST', '/execute', create(nextId++))).status).toBe(200);
  });

  test('other requests continue if the log cannot be written', async () => {
    isFull = true;
    expect((await send('all', 'root', 'POST', '/execute', create(7))).status).toBe(200);
    expect((await send('all', 'metrics', 'GET', '/tables')).status).toBe(403);
  });
});

test('each operation that changes keys or the schema has an event', () => {
  const unaudited = ['POST /schema/diff', 'POST /schema/compatibility', 'POST /execute'];
  for (const { method, path } of operations) {
    const event = auditedChangeAt(method, path.replaceAll(/[{}]/g, ''));
    const isChange = ['POST', 'PATCH', 'DELETE'].includes(method);
    const expected = isChange && !unaudited.includes(`${method} ${path}`);
    expect([method, path, event !== undefined]).toEqual([method, path, expected]);
  }
});
