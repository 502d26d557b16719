/** Row policies over HTTP: in responses of the schema endpoints, in migrations, and in the audit log. */

import { afterEach, describe, expect, test } from 'bun:test';
import type { Principal } from '#access';
import { AuditLog } from '#authentication';
import { systemWorld } from '#base';
import { emptyCatalog, policyHash } from '#catalog';
import type { Scope } from '../../src/access/scope.ts';
import { visibilityOf } from '../../src/access/visibility.ts';
import { databaseOver, type TestDatabase } from '../support/database.ts';
import { keyPrincipal } from '../support/principals.ts';
import { openMemoryEngine } from './support.ts';

const bypassing = ['admin', 'unlimited'];
const role = (name: string, ...held: Scope[]): [string, Principal] => [
  name,
  keyPrincipal(name, {
    ...{ kind: 'token', scopes: new Set(held) },
    visibility: visibilityOf(undefined, bypassing.includes(name) ? 'bypass' : 'enforce'),
  }),
];
const roles = new Map([
  role('admin', 'admin'),
  role('migrates', 'schema'),
  role('reads', 'read'),
  role('unlimited', 'read'),
]);

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database[Symbol.asyncDispose]();
});

interface Line {
  readonly event: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly request_id: string;
}

async function open(isFull = () => false) {
  let text = '';
  const target = {
    append: (lines: string) => {
      if (lines.includes('policy.changed') && isFull()) throw new Error('full');
      text += lines;
    },
    sync: () => {},
    reopen: () => {},
    close: () => {},
  };
  const authenticate = ({ authorization }: { readonly authorization: string | null }) =>
    roles.get((authorization ?? '').slice('Bearer '.length)) as Principal;
  const database = databaseOver(await openMemoryEngine('schema'), undefined, {
    authenticator: { authenticate },
    auditLog: new AuditLog({ target, level: 'auth', world: systemWorld() }),
  });
  opened.push(database);
  const send = async (name: string, method: string, path: string, body?: object) => {
    const authorization = `Bearer ${name}`;
    const { status, json } = await database.send(method, path, body, { authorization });
    return { status, json: json as Readonly<Record<string, unknown>> };
  };
  const migrate = async (name: string, schema: string, more: object = {}) => {
    const { json } = await send('admin', 'POST', '/schema/diff', { schema });
    const { current_version, current_hash } = json;
    return send(name, 'POST', '/schema/migrate', {
      schema,
      current_version,
      current_hash,
      ...more,
    });
  };
  const lines = async (): Promise<readonly Line[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    const all = text.split('\n').slice(0, -1);
    text = '';
    return all.map((line) => JSON.parse(line) as Line);
  };
  return { send, migrate, lines };
}

const tables = `tables:
  - id: 1
    name: note
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: owner, type: text }
`;
const policies = `policies:
  claims: { sub: text }
  tables:
    note:
      read: { kind: binary, op: eq, left: { kind: col, scope: row, column: owner }, right: { kind: claim, name: sub } }
      update: same_as_read
`;
const none = policyHash(emptyCatalog);

test('GET /schema shows the policies to tokens with the scope schema', async () => {
  const { send, migrate } = await open();
  await migrate('admin', tables);
  const without = await send('migrates', 'GET', '/schema');
  expect(without.json).not.toHaveProperty('policies');
  expect(without.json['policy_hash']).toBe(none);
  const migrated = await migrate('admin', tables + policies);
  const shown = await send('migrates', 'GET', '/schema');
  expect(shown.json['policies']).toEqual({
    claims: { sub: 'text' },
    tables: {
      note: {
        read: {
          where: {
            ...{ kind: 'binary', op: 'eq' },
            left: { kind: 'col', scope: 'row', column: 'owner' },
            right: { kind: 'claim', name: 'sub' },
          },
        },
        update: 'same_as_read',
      },
    },
  });
  expect(shown.json['policy_hash']).not.toBe(none);
  expect(migrated.json['policy_hash']).toBe(shown.json['policy_hash']);
  expect(shown.json['schema_hash']).toBe(without.json['schema_hash']);
  const read = await send('unlimited', 'GET', '/schema');
  expect([read.status, Object.keys(read.json).sort()]).toEqual([
    200,
    ['schema', 'schema_hash', 'schema_version'],
  ]);
  const refused = await send('reads', 'GET', '/schema');
  expect(refused.status).toBe(403);
  expect(refused.json['detail']).toEndWith(', or one with the scope schema');
});

describe('a migration of policies', () => {
  test('is compared by any token with the scope schema, and made with the scope admin', async () => {
    const { send, migrate } = await open();
    await migrate('migrates', tables);
    const compared = await send('migrates', 'POST', '/schema/diff', { schema: tables + policies });
    expect(compared.json).toMatchObject({
      current_policy_hash: none,
      changes: [
        { kind: 'policy_added', summary: 'enable row policies' },
        { kind: 'policy_added', summary: 'create row policy of note', table: 'note' },
      ],
      blocking: [],
    });
    expect(JSON.stringify(compared.json['program'])).not.toContain('set_policies');
    const refused = await migrate('migrates', tables + policies);
    expect([refused.status, refused.json['reason']]).toEqual([403, 'insufficient_scope']);
    expect(refused.json['detail']).toContain('lacks the scope admin');
    expect((await migrate('admin', tables + policies)).status).toBe(200);
    expect((await migrate('migrates', tables)).status).toBe(200);
    expect((await send('migrates', 'GET', '/schema')).json['policies']).toBeDefined();
  });

  test('that was compared with other policies gets 409', async () => {
    const { migrate } = await open();
    await migrate('admin', tables);
    await migrate('admin', tables + policies, { current_policy_hash: none });
    const removal = `${tables}policies: none\n`;
    const outdated = await migrate('admin', removal, { current_policy_hash: none });
    expect([outdated.status, outdated.json['reason']]).toEqual([409, 'serializable_conflict']);
    const { json } = await migrate('admin', tables + policies, { current_policy_hash: none });
    const now = { current_policy_hash: json['policy_hash'] };
    expect((await migrate('admin', removal, now)).status).toBe(200);
  });

  test('is no statement of a program', async () => {
    const { send } = await open();
    const statements = [{ kind: 'set_policies', name: 'p', policies: { claims: [], tables: [] } }];
    const { status, json } = await send('admin', 'POST', '/execute', { statements });
    expect(status).toBe(400);
    expect(String(json['detail'])).toContain('kind');
  });

  test('is recorded before and after it, beside the migration', async () => {
    let isFull = false;
    const { send, migrate, lines } = await open(() => isFull);
    const events = async () =>
      (await lines()).map(({ event, outcome, reason }) =>
        [event, outcome, ...(reason === undefined ? [] : [reason])].join(' '),
      );
    await migrate('admin', tables);
    expect(await events()).toEqual(['schema.changed begun', 'schema.changed succeeded']);
    await migrate('migrates', tables + policies);
    expect(await events()).toEqual([
      'schema.changed begun',
      'auth.refused refused insufficient_scope',
      'schema.changed refused insufficient_scope',
    ]);
    await migrate('admin', tables + policies);
    const recorded = await lines();
    expect(recorded.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual([
      'schema.changed begun',
      'policy.changed begun',
      'schema.changed succeeded',
      'policy.changed succeeded',
    ]);
    expect(new Set(recorded.map(({ request_id }) => request_id)).size).toBe(1);
    isFull = true;
    const refused = await migrate('admin', `${tables}policies: none\n`);
    expect(refused.status).toBe(503);
    expect((await send('admin', 'GET', '/schema')).json['policies']).toBeDefined();
  });
});
