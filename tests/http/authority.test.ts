/** What each principal may send: a second copy of the rules, compared with every operation, statement and principal. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '#access';
import type { Engine } from '#engine';
import { fail } from '#failure';
import type { Tracing } from '#telemetry';
import { operations } from '#wire';
import type { Action, Grant } from '../../src/access/grant.ts';
import { type Scope, scopes } from '../../src/access/scope.ts';
import { visibilityOf } from '../../src/access/visibility.ts';
import { databaseOver, type Reply, type TestDatabase } from '../support/database.ts';
import { keyPrincipal } from '../support/principals.ts';
import { openMemoryEngine } from './support.ts';

/** The scopes of which one is needed; `[]`: any token. `free`: no token. A star: only without grants. */
const rules: Readonly<Record<string, readonly string[] | 'free'>> = {
  welcome: [],
  describe: [],
  instructions: [],
  health: 'free',
  live: 'free',
  ready: 'free',
  startup: 'free',
  executeOptions: 'free',
  metrics: ['metrics'],
  statistics: ['read*', 'admin'],
  info: [],
  listTables: ['read', 'schema'],
  createTable: ['schema'],
  renameTable: ['schema'],
  deleteTable: ['schema'],
  createColumn: ['schema'],
  renameColumn: ['schema'],
  deleteColumn: ['schema'],
  createIndex: ['schema'],
  deleteIndex: ['schema'],
  execute: ['read', 'write', 'schema'],
  query: ['read'],
  schema: ['read*', 'schema'],
  diffSchema: ['schema'],
  migrateSchema: ['schema'],
  checkSchema: [],
  listTransitions: ['read*', 'schema'],
  getTransition: ['read*', 'schema'],
  cancelTransition: ['schema'],
  showPrincipal: [],
  listKeys: ['admin'],
  createKey: ['admin'],
  revokeKey: ['admin'],
  rotateKey: ['admin'],
};

const tables = { a: 1, b: 2, hidden: 3 } as const;
type Name = keyof typeof tables;

interface Role {
  readonly principal: Principal;
  readonly scopes: readonly Scope[];
  readonly grants: Readonly<Partial<Record<Name, readonly Action[]>>> | undefined;
}

function role(name: string, held: readonly Scope[], grants?: Role['grants']): [string, Role] {
  const list = Object.entries(grants ?? {}).map(
    ([table, actions]): Grant => ({ table: tables[table as Name], actions: new Set(actions) }),
  );
  const visibility = visibilityOf(grants === undefined ? undefined : list, 'bypass');
  const principal = keyPrincipal(name, { kind: 'token', scopes: new Set(held), visibility });
  return [name, { principal, scopes: held, grants }];
}

const pairs = scopes.flatMap((one, i) => scopes.slice(i + 1).map((other) => [one, other] as const));
const roles = new Map<string, Role>([
  role('none', []),
  ...scopes.map((scope) => role(scope, [scope])),
  ...pairs.map((pair) => role(pair.join('-'), pair)),
  role('nothing-granted', ['read', 'write'], {}),
  role('reads-a', ['read', 'write'], { a: ['read'] }),
  role('reads-b', ['read'], { b: ['read'] }),
  role('changes-a', ['read', 'write'], { a: ['read', 'delete'] }),
  role('creates-b', ['read', 'write'], { b: ['create'] }),
  role('updates-b', ['read', 'write'], { b: ['read', 'update'] }),
  role('both', ['read', 'write'], { a: ['read', 'update', 'delete'], b: ['read', 'create'] }),
  role('granted-without-scope', ['metrics'], { a: ['read'] }),
]);

let db: TestDatabase;
/** The same database, served by a reader. */
let reader: TestDatabase;
const directory = mkdtempSync(join(tmpdir(), 'svc-authority-'));
let checks = 0;

function authenticate({ authorization }: { readonly authorization: string | null }): Principal {
  checks++;
  if (authorization === null) throw fail('missing_token', 'the request has no access token');
  const found = roles.get(authorization.replace('Bearer ', ''));
  if (found === undefined) throw fail('invalid_token', 'the access token is not valid');
  return found.principal;
}

const column = (name: string) => ({ name, type: 'int64' });

beforeAll(async () => {
  const engine = await openMemoryEngine('direct', undefined, { storage: 'file', path: directory });
  const open = databaseOver(engine);
  for (const name of Object.keys(tables)) {
    const columns = [column('id'), column('n')];
    const keys = [
      {
        name: 'b_a_fk',
        columns: ['n'],
        ref_table: 'a',
        ref_columns: ['id'],
        on_delete: 'restrict',
      },
    ];
    const foreign = name === 'b' ? { foreign_keys: keys } : {};
    await open.send('POST', '/tables', { name, columns, primary_key: ['id'], ...foreign });
  }
  await program(open, {}, [create('a', [[1, 1]])]);
  db = databaseOver(engine, undefined, { authenticator: { authenticate } });
  const signal = new AbortController().signal;
  const reading = { pollMs: 10, signal, waiting: () => {} };
  const more = { storage: 'file', path: directory, reading } as const;
  const other = await openMemoryEngine('direct', undefined, more);
  await follows(other, Object.keys(tables).length);
  const { lifecycle } = readerLifecycle(other);
  reader = databaseOver(other, undefined, { authenticator: { authenticate }, lifecycle });
});

afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** Resolves when the reader has this number of tables. */
async function follows(engine: Engine, count: number): Promise<void> {
  const { catalogListeners } = engine['database'];
  while (engine.catalog.tables.length < count) {
    await new Promise<void>((resolve) => {
      const moved = () => {
        catalogListeners.delete(moved);
        resolve();
      };
      catalogListeners.add(moved);
    });
  }
}

function readerLifecycle(engine: Engine) {
  const live = () => 'live' as const;
  const ready = () => 'serving' as const;
  const startup = () => 'started' as const;
  return { lifecycle: { access: 'read', engine, live, ready, startup } as const };
}

const places = ['writer', 'reader'] as const;
const at = (place: (typeof places)[number]) => (place === 'writer' ? db : reader);

type Statement = Readonly<Record<string, unknown>>;

function program(
  on: TestDatabase,
  headers: Record<string, string>,
  statements: readonly Statement[],
  path = '/execute',
): Promise<Reply> {
  const [first] = statements;
  const result = statements.length > 1 ? { result: first?.['name'] } : {};
  return on.send('POST', path, { statements, ...result }, headers);
}

const as = (name: string) => ({ authorization: `Bearer ${name}` });

function rowsOf(rows: readonly (readonly number[])[], columns = ['id', 'n']) {
  const cells = rows.map((row) => row.map(String));
  return { kind: 'rows', scope: 'r', columns: columns.map(column), rows: cells };
}

const many = (nodes: Readonly<Record<string, unknown>>, node: string) => ({
  nodes,
  root: { node, cardinality: 'many' },
});

function create(table: string, rows: readonly (readonly number[])[]): Statement {
  return { kind: 'create', name: 'c', table, relation: many({ r: rowsOf(rows) }, 'r') };
}

/** A query of all rows in the order of their ids. */
function ordered(node: Readonly<Record<string, unknown>>, scope: string) {
  const id = { kind: 'col', scope, column: 'id' };
  return many({ n: node, o: { kind: 'order', input: 'n', terms: [{ expr: id }] } }, 'o');
}

function scan(table: string) {
  return ordered({ kind: 'scan', table, scope: 's' }, 's');
}

interface Case {
  readonly statements: readonly Statement[];
  readonly scopes: readonly Scope[];
  readonly actions: readonly (readonly [Name, Action])[];
}

const cases: Readonly<Record<string, Case>> = {
  'query of rows': {
    statements: [{ kind: 'query', name: 'q', relation: ordered(rowsOf([[1, 2]]), 'r') }],
    scopes: ['read'],
    actions: [],
  },
  'query of a': {
    statements: [{ kind: 'query', name: 'q', relation: scan('a') }],
    scopes: ['read'],
    actions: [['a', 'read']],
  },
  'create of a row': {
    statements: [create('b', [])],
    scopes: ['write'],
    actions: [['b', 'create']],
  },
  'create from a scan': {
    statements: [{ kind: 'create', name: 'c', table: 'b', relation: emptyScan('a') }],
    scopes: ['read', 'write'],
    actions: [
      ['b', 'create'],
      ['a', 'read'],
    ],
  },
  update: {
    statements: [
      { kind: 'update', name: 'u', table: 'a', relation: many({ r: rowsOf([[1, 1]]) }, 'r') },
    ],
    scopes: ['read', 'write'],
    actions: [
      ['a', 'read'],
      ['a', 'update'],
    ],
  },
  delete: {
    statements: [
      { kind: 'delete', name: 'd', table: 'a', relation: many({ r: rowsOf([], ['id']) }, 'r') },
    ],
    scopes: ['read', 'write'],
    actions: [
      ['a', 'read'],
      ['a', 'delete'],
    ],
  },
  'query and create': {
    statements: [{ kind: 'query', name: 'q', relation: scan('a') }, create('b', [])],
    scopes: ['read', 'write'],
    actions: [
      ['a', 'read'],
      ['b', 'create'],
    ],
  },
  'catalog change': {
    statements: [{ kind: 'rename_table', name: 'n', table_id: 3, to: 'hidden' }],
    scopes: ['schema'],
    actions: [],
  },
};

/** A scan of which no row passes. */
function emptyScan(table: string) {
  const ids = {
    kind: 'binary',
    op: 'lt',
    left: col('id'),
    right: { kind: 'lit', value: { type: 'int64', value: '0' } },
  };
  return many(
    { s: { kind: 'scan', table, scope: 's' }, f: { kind: 'filter', input: 's', predicate: ids } },
    'f',
  );
}

function col(name: string) {
  return { kind: 'col', scope: 's', column: name };
}

function holds({ scopes: held }: Role, wanted: readonly Scope[]): boolean {
  return wanted.every((scope) => held.includes(scope) || held.includes('admin'));
}

/** The reason with which a role is refused, by the rules of this file; `undefined`: it is not refused. */
function refusal(of: Role, { scopes: wanted, actions }: Case): string | undefined {
  const canEnter = (['read', 'write', 'schema'] as const).some((scope) => holds(of, [scope]));
  if (!canEnter || !holds(of, wanted)) return 'insufficient_scope';
  const { grants } = of;
  if (grants === undefined) return undefined;
  if (actions.some(([table]) => (grants[table] ?? []).length === 0)) return 'unknown_table';
  const lacks = actions.some(([table, action]) => !grants[table]?.includes(action));
  return lacks ? 'insufficient_scope' : undefined;
}

/** The reason of a reader, which accepts no writes. It looks at the scopes before. */
function readerRefusal(of: Role, one: Case): string | undefined {
  const isWrite = one.statements.some(({ kind }) => kind !== 'query');
  if (!isWrite) return refusal(of, one);
  return refusal({ ...of, grants: undefined }, one) ?? 'read_only';
}

function reasonOf({ json }: Reply): unknown {
  return (json as { readonly reason?: string } | undefined)?.reason;
}

describe('operations', () => {
  test('each operation has a rule in this file, and each rule an operation', () => {
    expect(Object.keys(rules).sort()).toEqual(operations.map(({ id }) => id).sort());
  });

  const routes = operations.flatMap(({ method, path, id }) => {
    const filled = path.replace('{table}', 'a').replaceAll(/\{\w+\}/g, 'x');
    return (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((one) => ({ one, filled, id }));
  });

  test.each(places)(
    'every route of a %s: without a token, with an unknown one, and of every role',
    async (place) => {
      const db = at(place);
      for (const { one, filled, id } of routes) {
        const rule = rules[id] as (typeof rules)[string];
        const isFree = rule === 'free';
        for (const [headers, reason] of [
          [{}, 'Bearer realm="svc"'],
          [as('unknown'), 'Bearer realm="svc", error="invalid_token"'],
        ] as const) {
          const { status, headers: sent } = await db.send(one, filled, undefined, { ...headers });
          const challenge = sent.get('www-authenticate');
          expect([id, one, status === 401, challenge]).toEqual([
            id,
            one,
            !isFree,
            isFree ? null : reason,
          ]);
        }
        for (const [name, of] of roles) {
          const { status, headers } = await db.send(one, filled, undefined, as(name));
          const isAllowed = isFree || rule.length === 0 || rule.some((word) => satisfies(of, word));
          const isRefused = headers.get('www-authenticate') !== null;
          expect([id, one, name, isRefused]).toEqual([id, one, name, !isAllowed]);
          if (isRefused) expect(status).toBe(403);
        }
      }
    },
  );

  function satisfies(of: Role, word: string): boolean {
    const isStarred = word.endsWith('*');
    return holds(of, [word.replace('*', '') as Scope]) && !(isStarred && of.grants !== undefined);
  }

  test('a client without a token learns nothing about routes and methods', async () => {
    const answers = [await db.send('GET', '/none'), await db.send('PUT', '/tables')];
    for (const { status } of answers) expect(status).toBe(401);
    expect((await db.send('GET', '/none', undefined, as('read'))).status).toBe(404);
    expect((await db.send('PUT', '/tables', undefined, as('read'))).status).toBe(405);
  });

  test('a probe asks for no token, not even for one that is sent', async () => {
    const before = checks;
    await db.send('GET', '/livez', undefined, as('unknown'));
    expect(checks).toBe(before);
  });

  test('a refusal of a request with a body of unknown length ends the connection', async () => {
    const chunked = { ...as('metrics'), 'transfer-encoding': 'chunked' };
    const refused = await program(db, chunked, []);
    expect([refused.status, refused.headers.get('connection')]).toEqual([403, 'close']);
    const without = await db.send('GET', '/tables', undefined, as('metrics'));
    expect([without.status, without.headers.get('connection')]).toEqual([403, null]);
  });
});

describe('programs', () => {
  const paths = { plain: '/execute', 'dry run': '/execute?dry-run=true', 'known plan': '/execute' };

  const everywhere = places.flatMap((place) =>
    Object.entries(cases).map(([title, one]) => [title, place, one] as const),
  );

  test.each(everywhere)('%s on a %s, of every role', async (title, place, one) => {
    const db = at(place);
    for (const [kind, path] of Object.entries(paths)) {
      for (const [name, of] of roles) {
        if (kind === 'known plan') await program(db, as('admin'), one.statements);
        const reply = await program(db, as(name), one.statements, path);
        const reason =
          place === 'reader' && kind !== 'dry run' ? readerRefusal(of, one) : refusal(of, one);
        expect([title, kind, name, reasonOf(reply)]).toEqual([title, kind, name, reason as string]);
        expect(reply.status).toBe(statusOf(reason));
      }
    }
  });

  function statusOf(reason: string | undefined): number {
    if (reason === undefined) return 200;
    return reason === 'unknown_table' ? 422 : 403;
  }

  test.each(places)(
    'a query by the method QUERY on a %s, of every role, first and again',
    async (place) => {
      const db = at(place);
      const one = cases['query of a'] as Case;
      for (const [name, of] of [...roles, ...roles]) {
        const reply = await db.send('QUERY', '/execute', scan('a'), as(name));
        const needsRead = holds(of, ['read']) ? refusal(of, one) : 'insufficient_scope';
        expect([name, reasonOf(reply)]).toEqual([name, needsRead as string]);
      }
    },
  );

  test('an invisible table and an absent one give the same response, in every statement', async () => {
    for (const statements of [
      (table: string) => [{ kind: 'query', name: 'q', relation: scan(table) }],
      (table: string) => [create(table, [[1, 1]])],
      (table: string) => [{ ...create(table, [[1, 1]]), kind: 'update' }],
      (table: string) => [
        { ...create(table, []), kind: 'delete', relation: many({ r: rowsOf([], ['id']) }, 'r') },
      ],
      (table: string) => [{ kind: 'create', name: 'c', table: 'a', relation: emptyScan(table) }],
    ]) {
      for (let turn = 0; turn < 2; turn++) {
        // Another principal has a plan for the same text.
        await program(db, as('admin'), statements('hidden'));
        const hidden = await program(db, as('both'), statements('hidden'));
        const absent = await program(db, as('both'), statements('hiddem'));
        expect(hidden.status).toBe(422);
        expect(absent.text.replaceAll('hiddem', 'hidden')).toBe(hidden.text);
        expect(hidden.text).not.toContain('mean');
      }
    }
  });

  test('a suggestion names visible tables only', async () => {
    const wrong = [{ kind: 'query', name: 'q', relation: scan('hiddenn') }];
    expect((await program(db, as('read'), wrong)).text).toContain('did you mean');
    expect((await program(db, as('both'), wrong)).text).not.toContain('did you mean');
  });

  test('the refusal names what is missing', async () => {
    const { statements } = cases['update'] as Case;
    const detailFor = async (name: string) =>
      ((await program(db, as(name), statements)).json as { detail: string }).detail;
    expect(await detailFor('read')).toContain('lacks the scope write');
    expect(await detailFor('schema')).toContain('lacks the scopes read and write');
    expect(await detailFor('reads-a')).toContain('use a token with the grant a:update');
  });

  test('a plan is for principals without grants', async () => {
    const { statements } = cases['query of a'] as Case;
    const shown = '/execute?show-plan=true';
    expect((await program(db, as('read'), statements, shown)).status).toBe(200);
    expect((await program(db, as('both'), statements, shown)).status).toBe(403);
    const diagnostics = { ...as('both'), 'svc-diagnostics': 'summary' };
    expect((await program(db, diagnostics, statements)).status).toBe(403);
  });
});

type Failed = Readonly<Record<string, unknown>> & { readonly text: string };

describe('failures', () => {
  const failureFor = async (name: string, statements: readonly Statement[]) => {
    const { json, text } = await program(db, as(name), statements);
    return { ...(json as Readonly<Record<string, unknown>>), text } as Failed;
  };

  test('a foreign key is named only if both tables are visible', async () => {
    const dangling = [create('b', [[7, 77]])];
    const whole = await failureFor('both', dangling);
    expect(whole).toMatchObject({
      reason: 'constraint_violation',
      detail: expect.stringContaining('foreign key "b_a_fk" of table "b"'),
      execution: { table: 'b' },
    });
    const part = await failureFor('creates-b', dangling);
    expect(part).toMatchObject({ reason: 'constraint_violation', execution: { table: 'b' } });
    expect(part['detail']).toContain('a constraint that involves another table');
    expect(part.text).not.toMatch(/b_a_fk|"a"/);
    expect((await failureFor('admin', dangling))['execution']).toEqual({
      table: 'b',
      index: 'b_a_fk',
    });
  });

  test('a row that an invisible table references is not deleted, and the table is not named', async () => {
    await program(db, as('admin'), [create('b', [[1, 1]])]);
    const relation = many({ r: rowsOf([[1]], ['id']) }, 'r');
    const deletion = [{ kind: 'delete', name: 'd', table: 'a', relation }];
    const whole = await failureFor('admin', deletion);
    expect(whole.text).toContain('is referenced by table');
    const part = await failureFor('changes-a', deletion);
    expect(part['reason']).toBe('constraint_violation');
    expect(part.text).not.toMatch(/b_a_fk|"b"|\\"b\\"/);
    await program(db, as('admin'), [{ ...deletion[0], table: 'b' }]);
  });

  test('a failure in an operator has no part of the plan', async () => {
    const zero = { kind: 'lit', value: { type: 'int64', value: '0' } };
    const division = { kind: 'binary', op: 'div', left: col('id'), right: zero };
    const scanned = { kind: 'scan', table: 'a', scope: 's' };
    const relation = {
      nodes: {
        s: scanned,
        p: { kind: 'project', input: 's', scope: 'p', fields: [{ as: 'x', expr: division }] },
      },
      root: { node: 'p', cardinality: 'exactly_one' },
    };
    const statements = [{ kind: 'query', name: 'q', relation }];
    expect((await failureFor('admin', statements))['execution']).toHaveProperty('operator');
    const part = await failureFor('both', statements);
    expect(part['reason']).toBe('division_by_zero');
    expect(part).not.toHaveProperty('execution.operator');
  });
});

describe('lists', () => {
  const namesFor = async (name: string) => {
    const { json } = await db.send('GET', '/tables', undefined, as(name));
    return (json as { readonly tables: readonly Record<string, unknown>[] }).tables;
  };

  test('tables are those of the view, without foreign keys to others', async () => {
    expect((await namesFor('read')).map(({ name }) => name)).toEqual(['a', 'b', 'hidden']);
    expect((await namesFor('reads-a')).map(({ name }) => name)).toEqual(['a']);
    expect(await namesFor('nothing-granted')).toEqual([]);
    const [ofB] = await namesFor('reads-b');
    expect(ofB?.['name']).toBe('b');
    expect(ofB).not.toHaveProperty('foreign_keys');
    expect((await namesFor('both'))[1]).toHaveProperty('foreign_keys');
  });

  test('the location of the store is for administrators', async () => {
    const infoFor = async (name: string) =>
      (await db.send('GET', '/info', undefined, as(name))).json as Record<string, unknown>;
    expect(await infoFor('admin')).toHaveProperty('location');
    expect(await infoFor('read')).not.toHaveProperty('location');
  });
});

describe('browsers', () => {
  test('responses to clients with tokens are not stored, framed or guessed', async () => {
    const { headers } = await db.send('GET', '/tables', undefined, as('read'));
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toBe('Authorization, Origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('with all origins, any page may use the tokens that it has, and preflights need none', async () => {
    const options = { authenticator: { authenticate }, corsOrigins: ['*'] };
    const open = databaseOver(db.engine, undefined, options);
    for (const origin of ['https://any.example', 'http://localhost:3000', 'null']) {
      const sent = await program(open, { ...as('write'), origin }, [create('b', [])]);
      expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect(sent.headers.get('access-control-allow-credentials')).toBeNull();
      expect((await program(open, { origin }, [create('b', [])])).status).toBe(401);
      const asked = { origin, 'access-control-request-method': 'POST' };
      expect((await open.send('OPTIONS', '/tables', undefined, asked)).status).toBe(204);
    }
  });

  test.each(['https://app.example', '*'])(
    'a page of another origin changes neither the schema nor keys, even with CORS for %s',
    async (corsOrigin) => {
      const origin = 'https://app.example';
      const options = { authenticator: { authenticate }, corsOrigins: [corsOrigin] };
      const shared = databaseOver(db.engine, undefined, options);
      const foreign = { ...as('admin'), origin };
      const { statements } = cases['catalog change'] as Case;
      for (const headers of [foreign, { ...foreign, ...as('schema') }]) {
        expect((await program(shared, headers, statements)).status).toBe(403);
        expect((await shared.send('DELETE', '/tables/a', undefined, headers)).status).toBe(403);
      }
      expect((await shared.send('GET', '/auth/keys', undefined, foreign)).status).toBe(403);
      const rows = await program(shared, foreign, [create('b', [])]);
      expect(rows.status).toBe(200);
      const own = { ...as('admin'), host: 'localhost', origin: 'http://localhost' };
      expect((await program(shared, own, statements)).status).toBe(200);
    },
  );
});

test('requests beyond the rate get 429, whatever they ask for, except probes', async () => {
  let nowMs = 0;
  const clock = { unixMs: () => nowMs, monotonicMs: () => nowMs };
  const limited = databaseOver(db.engine, undefined, {
    authenticator: { authenticate },
    rateLimit: 1,
    clock,
  });
  const ask = async (name: string, path = '/tables') =>
    limited.send('GET', path, undefined, as(name));
  expect([(await ask('read')).status, (await ask('metrics')).status]).toEqual([200, 403]);
  expect([(await ask('read')).status, (await ask('metrics')).status]).toEqual([200, 403]);
  const refused = await ask('read');
  expect([refused.status, reasonOf(refused)]).toEqual([429, 'rate_limited']);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await ask('metrics')).status).toBe(429);
  expect((await ask('admin')).status).toBe(200);
  expect((await ask('read', '/livez')).status).toBe(200);
  nowMs += 1000;
  expect([(await ask('read')).status, (await ask('read')).status]).toEqual([200, 429]);
});

test('requests of unknown routes count for the rate', async () => {
  const limited = databaseOver(db.engine, undefined, {
    authenticator: { authenticate },
    rateLimit: 1,
    clock: { unixMs: () => 0, monotonicMs: () => 0 },
  });
  const statuses: number[] = [];
  for (const path of ['/nowhere', '/tables/a/b/c', '/nowhere', '/tables']) {
    statuses.push((await limited.send('GET', path, undefined, as('read'))).status);
  }
  expect(statuses).toEqual([404, 404, 429, 429]);
});

describe('the trace of a client', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  test.each([
    ['without a token', 'GET', '/info', {}, null],
    ['with a bad token', 'GET', '/info', { authorization: 'Bearer bad' }, null],
    ['of a probe', 'GET', '/healthz', { authorization: 'Bearer good' }, null],
    ['of a refused host', 'GET', '/info', { host: 'a, b', authorization: 'Bearer good' }, null],
    ['without the scope', 'GET', '/auth/keys', { authorization: 'Bearer good' }, traceparent],
    ['with a token', 'GET', '/info', { authorization: 'Bearer good' }, traceparent],
    ['with a new token', 'GET', '/info', { authorization: 'Bearer new' }, traceparent],
    ['with a bad new token', 'GET', '/info', { authorization: 'Bearer new bad' }, null],
  ])('%s is continued only if the client is known', async (_, method, path, given, expected) => {
    const engine = await openMemoryEngine();
    const seen: (string | null)[] = [];
    const begin = (headers: Headers) => {
      seen.push(headers.get('traceparent'));
      return undefined;
    };
    const authenticator = {
      authenticate: ({ authorization }: { authorization: string | null }) => {
        const isNew = authorization?.includes('new') === true;
        const isGood = authorization !== null && !authorization.includes('bad');
        const found = keyPrincipal('k', { kind: 'token', scopes: new Set(['read']) });
        if (isGood) return isNew ? Promise.resolve(found) : found;
        if (isNew) return Promise.reject(fail('invalid_token', 'no'));
        throw fail('invalid_token', 'no');
      },
    };
    const tracing = { begin } as unknown as Tracing;
    await using database = databaseOver(engine, undefined, { authenticator, tracing });
    const headers: Record<string, string> = { traceparent };
    for (const [name, value] of Object.entries(given)) headers[name] = value;
    await database.send(method, path, undefined, headers);
    expect(seen).toEqual([expected]);
  });
});
