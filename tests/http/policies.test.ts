/** What a principal sees of a database with row policies, apart from its rows. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Principal } from '#access';
import type { Policies, TablePolicy } from '#catalog';
import { fail } from '#failure';
import type { Scope } from '../../src/access/scope.ts';
import { type PolicyMode, visibilityOf } from '../../src/access/visibility.ts';
import { setPolicies } from '../engine/policies/support.ts';
import { databaseOver, type Reply, type TestDatabase } from '../support/database.ts';
import { keyPrincipal } from '../support/principals.ts';
import { openMemoryEngine } from './support.ts';

/** `a` and `b` have policies, `hidden` has none. `b` refers to `a`, and `hidden` to `b`. */
const tables = ['a', 'b', 'hidden'] as const;
const all: Omit<TablePolicy, 'table'> = {
  read: 'all',
  create: 'all',
  update: 'all',
  delete: 'all',
};
const policies: Policies = {
  claims: [],
  tables: [
    { table: 1, ...all },
    { table: 2, ...all },
  ],
};

const role = (name: string, mode: PolicyMode, ...held: Scope[]): [string, Principal] => [
  name,
  keyPrincipal(name, {
    ...{ kind: 'token', scopes: new Set(held) },
    visibility: visibilityOf(undefined, mode),
  }),
];

const roles = new Map<string, Principal>([
  role('reads', 'enforce', 'read'),
  role('user', 'enforce', 'read', 'write'),
  role('migrates', 'enforce', 'schema'),
  role('owner', 'bypass', 'read', 'write'),
  role('admin', 'bypass', 'admin'),
]);

function authenticate({ authorization }: { readonly authorization: string | null }): Principal {
  const found = roles.get(authorization?.replace('Bearer ', '') ?? '');
  if (found === undefined) throw fail('invalid_token', 'the access token is not valid');
  return found;
}

/** With policies. */
let db: TestDatabase;
/** The same tables, without policies. */
let free: TestDatabase;

const as = (name: string) => ({ authorization: `Bearer ${name}` });

beforeAll(async () => {
  const open = async (isFree: boolean) => {
    const engine = await openMemoryEngine('direct', undefined, { capturesCorpus: true });
    const database = databaseOver(engine, undefined, { authenticator: { authenticate } });
    for (const [i, name] of tables.entries()) {
      const target = tables[i - 1];
      const key = {
        name: `${name}_${target}_fk`,
        columns: ['n'],
        ...{ ref_table: target, ref_columns: ['id'], on_delete: 'restrict' },
      };
      const body = {
        name,
        columns: [
          { name: 'id', type: 'int64' },
          { name: 'n', type: 'int64' },
        ],
        primary_key: ['id'],
        ...(target !== undefined && { foreign_keys: [key] }),
      };
      const created = await database.send('POST', '/tables', body, as('migrates'));
      expect(created.status).toBe(200);
    }
    if (!isFree) await setPolicies(engine, policies);
    for (const name of tables) await run(database, 'owner', create(name, [[1, 1]]));
    return database;
  };
  db = await open(false);
  free = await open(true);
});

afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await free[Symbol.asyncDispose]();
});

type Statement = Readonly<Record<string, unknown>>;

function run(on: TestDatabase, name: string, statement: Statement, path = '/execute', more = {}) {
  return on.send('POST', path, { statements: [statement] }, { ...as(name), ...more });
}

const many = (nodes: object, node: string) => ({ nodes, root: { node, cardinality: 'many' } });

function rowsOf(rows: readonly (readonly number[])[], names = ['id', 'n']) {
  const columns = names.map((name) => ({ name, type: 'int64' }));
  return many(
    { r: { kind: 'rows', scope: 'r', columns, rows: rows.map((row) => row.map(String)) } },
    'r',
  );
}

function create(table: string, rows: readonly (readonly number[])[]): Statement {
  return { kind: 'create', name: 'c', table, relation: rowsOf(rows) };
}

function deletion(table: string, id: number): Statement {
  return { kind: 'delete', name: 'd', table, relation: rowsOf([[id]], ['id']) };
}

function query(table: string): Statement {
  const id = { kind: 'col', scope: 's', column: 'id' };
  const nodes = {
    s: { kind: 'scan', table, scope: 's' },
    o: { kind: 'order', input: 's', terms: [{ expr: id }] },
  };
  return { kind: 'query', name: 'q', relation: many(nodes, 'o') };
}

const reasonOf = ({ json }: Reply) => (json as { readonly reason?: string } | undefined)?.reason;

describe('a table without a policy', () => {
  test.each<[string, (table: string) => Statement]>([
    ['query', query],
    ['create', (table) => create(table, [[5, 1]])],
    ['update', (table) => ({ ...create(table, [[1, 1]]), kind: 'update' })],
    ['delete', (table) => deletion(table, 1)],
    ['create from a scan', (table) => ({ ...query(table), kind: 'create', table: 'a' })],
  ])('and an absent one give the same response: %s', async (_, statement) => {
    for (let turn = 0; turn < 2; turn++) {
      // Another principal has a plan for the same text.
      await run(db, 'owner', statement('hidden'));
      const hidden = await run(db, 'user', statement('hidden'));
      const absent = await run(db, 'user', statement('hiddem'));
      expect([hidden.status, reasonOf(hidden)]).toEqual([422, 'unknown_table']);
      expect(absent.text.replaceAll('hiddem', 'hidden')).toBe(hidden.text);
      expect(hidden.text).not.toContain('mean');
    }
  });

  test('is not suggested, and not listed', async () => {
    expect((await run(db, 'owner', query('hiddenn'))).text).toContain('did you mean');
    expect((await run(db, 'user', query('hiddenn'))).text).not.toContain('did you mean');
    const listed = async (on: TestDatabase, name: string) => {
      const { json } = await on.send('GET', '/tables', undefined, as(name));
      return (json as { readonly tables: readonly { name: string }[] }).tables.map(
        (one) => one.name,
      );
    };
    expect(await listed(db, 'user')).toEqual(['a', 'b']);
    expect(await listed(db, 'owner')).toEqual([...tables]);
    expect(await listed(free, 'user')).toEqual([...tables]);
  });

  test('is visible as soon as it has one, and again invisible without', async () => {
    const more = { ...policies, tables: [...policies.tables, { table: 3, read: 'all' as const }] };
    const statuses = async () => (await run(db, 'user', query('hidden'))).status;
    expect(await statuses()).toBe(422);
    await setPolicies(db.engine, more);
    expect(await statuses()).toBe(200);
    await setPolicies(db.engine, policies);
    expect(await statuses()).toBe(422);
  });
});

describe('what names all tables', () => {
  const routes = [
    ['/statistics', 'admin'],
    ['/schema', 'migrates'],
    ['/schema/transitions', 'migrates'],
  ] as const;

  test.each(routes)('%s is refused to readers with policies', async (path, other) => {
    const statusOf = async (on: TestDatabase, name: string) =>
      (await on.send('GET', path, undefined, as(name))).status;
    expect(await statusOf(db, 'reads')).toBe(403);
    expect(await statusOf(db, 'owner')).toBe(200);
    expect(await statusOf(db, other)).toBe(200);
    expect(await statusOf(free, 'reads')).toBe(200);
  });

  test.each([
    ['a plan', '/execute?show-plan=true', {}],
    ['the plan of a dry run', '/execute?show-plan=true&dry-run=true', {}],
    ['diagnostics', '/execute', { 'svc-diagnostics': 'summary' }],
  ])('%s is refused to readers with policies', async (_, path, headers) => {
    const refused = await run(db, 'reads', query('a'), path, headers);
    expect([refused.status, reasonOf(refused)]).toEqual([403, 'insufficient_scope']);
    expect(refused.text).toContain('row policies do not restrict');
    expect((await run(db, 'owner', query('a'), path, headers)).status).toBe(200);
    expect((await run(free, 'reads', query('a'), path, headers)).status).toBe(200);
  });
});

describe('a failure', () => {
  const failed = async (on: TestDatabase, name: string, statement: Statement) => {
    const { json, text } = await run(on, name, statement);
    return { ...(json as Statement), text };
  };

  test('names a foreign key only if both tables are visible, and never an index', async () => {
    const whole = await failed(db, 'user', create('b', [[7, 77]]));
    expect(whole).toMatchObject({ reason: 'constraint_violation', execution: { table: 'b' } });
    expect(whole.text).toContain('foreign key \\"b_a_fk\\" of table \\"b\\"');
    expect(whole).not.toHaveProperty('execution.index');
    expect(await failed(db, 'owner', create('b', [[7, 77]]))).toHaveProperty('execution.index');
    expect(await failed(free, 'user', create('b', [[7, 77]]))).toHaveProperty('execution.index');
    const part = await failed(db, 'user', deletion('b', 1));
    expect(part).toHaveProperty('reason', 'constraint_violation');
    expect(part.text).toContain('a constraint that involves another table');
    expect(part.text).not.toMatch(/hidden/);
    expect((await failed(free, 'user', deletion('b', 1))).text).toContain('hidden');
  });
});

test('a refused row is described by the OpenAPI document, with its place in the program', async () => {
  const [, b] = policies.tables;
  const limited = [{ table: 1, read: 'all' as const }, ...(b ? [b] : [])];
  await setPolicies(db.engine, { ...policies, tables: limited });
  const refused = await run(db, 'user', create('a', [[9, 9]]));
  await setPolicies(db.engine, policies);
  expect([refused.status, reasonOf(refused)]).toEqual([403, 'policy_violation']);
  expect(refused.json).toMatchObject({
    location: { pointer: '/statements/0/relation/nodes/r/rows/0', node: 'r', binding: 'c' },
    execution: { table: 'a' },
  });
});

test('programs to which policies apply are not recorded for replay', async () => {
  const recorded = async (on: TestDatabase) => {
    const { json } = await on.send('GET', '/statistics', undefined, as('admin'));
    return (json as { corpus: { observed: number } }).corpus;
  };
  const counts = async (on: TestDatabase, name: string) => {
    const before = JSON.stringify(await recorded(on));
    expect((await run(on, name, query('a'))).status).toBe(200);
    return JSON.stringify(await recorded(on)) !== before;
  };
  expect(await counts(db, 'user')).toBe(false);
  expect(await counts(db, 'owner')).toBe(true);
  expect(await counts(free, 'user')).toBe(true);
});
