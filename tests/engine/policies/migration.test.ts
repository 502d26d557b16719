/** Migrations that change row policies, and migrations that policies prevent. */

import { afterEach, describe, expect, test } from 'bun:test';
import type { Principal } from '#access';
import { type Catalog, type Policies, policyHash, schemaHash } from '#catalog';
import type { Engine } from '#engine';
import { parseSchema, requireSchema } from '#schema';
import { keyPrincipal } from '../../support/principals.ts';
import { failureOf, open } from '../keys/support.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

interface File {
  readonly note?: readonly string[];
  readonly member?: readonly string[];
  readonly policies?: string;
}

const id = '{ id: 1, name: id, type: int64, pk: true }';
const owner = '{ id: 2, name: owner, type: text }';
const more = '{ id: 3, name: more, type: text }';

/** A file with the columns of the tables `note` (1) and `member` (2). */
function file({ note = [id, owner, more], member = [id, owner], policies = '' }: File): string {
  const table = (of: number, name: string, columns: readonly string[]) =>
    columns.length === 0
      ? ''
      : `  - id: ${of}\n    name: ${name}\n    columns:\n${columns.map((one) => `      - ${one}\n`).join('')}`;
  return `tables:\n${table(1, 'note', note)}${table(2, 'member', member)}${policies}`;
}

const equal = (column: string) =>
  `{kind: binary, op: eq, left: {kind: col, scope: row, column: ${column}}, right: {kind: claim, name: sub}}`;
const section = (...tables: readonly string[]) =>
  `policies:\n  claims: { sub: text }\n  tables:\n${tables.map((one) => `    ${one}\n`).join('')}`;
const owned = section(`note: { read: ${equal('owner')}, create: same_as_read }`);
const noPolicies = 'policies: none\n';
const ofMembers = section(
  `note: { read: { where: {kind: exists, node: own}, nodes: { m: {kind: scan, table: member, scope: m}, own: {kind: filter, input: m, predicate: {kind: binary, op: eq, left: {kind: col, scope: m, column: owner}, right: {kind: col, scope: row, column: owner}}} } } }`,
);

async function opened(start: string = file({})): Promise<Engine> {
  const engine = await open('', { mode: 'schema', worksOnTransitions: false });
  engines.push(engine);
  await migrate(engine, start);
  return engine;
}

function desiredOf(text: string) {
  const parsed = parseSchema(text, 'f');
  if (parsed.kind === 'broken') throw new Error(JSON.stringify(parsed.errors));
  return requireSchema(parsed);
}

interface Wish {
  readonly based?: Catalog;
  readonly currentPolicyHash?: string;
  readonly principal?: Principal;
  readonly beforePolicyChange?: () => void;
}

async function migrate(engine: Engine, text: string, wish: Wish = {}) {
  const { catalog, policies } = desiredOf(text);
  const { based = engine.catalog, principal, ...rest } = wish;
  const context = engine.requestContext(principal === undefined ? {} : { principal });
  const request = {
    currentVersion: based.version,
    currentHash: schemaHash(based),
    acceptDataLoss: true,
    policies,
    ...rest,
  };
  try {
    return await engine.schema.migrate(catalog, request, context);
  } finally {
    context.close();
  }
}

function diff(engine: Engine, text: string) {
  const { catalog, policies } = desiredOf(text);
  return engine.schema.diff(catalog, policies);
}

const summaries = (of: readonly { readonly summary: string }[]) => of.map(({ summary }) => summary);

describe('a file with policies', () => {
  test('sets them, without a version of the schema', async () => {
    const engine = await opened();
    const before = engine.catalog;
    const compared = await diff(engine, file({ policies: owned }));
    expect(compared.changes).toEqual([
      { kind: 'policy_added', summary: 'enable row policies' },
      { kind: 'policy_added', summary: 'create row policy of note', table: 'note' },
    ]);
    expect(compared.program.statements).toEqual([]);
    expect(engine.catalog).toBe(before);
    const { changes, catalog } = await migrate(engine, file({ policies: owned }));
    expect(changes).toEqual(compared.changes);
    expect([catalog.version, schemaHash(catalog)]).toEqual([before.version, schemaHash(before)]);
    expect(catalog.policies).toEqual(desiredOf(file({ policies: owned })).policies as Policies);
    expect((await diff(engine, file({ policies: owned }))).changes).toEqual([]);
  });

  test('changes them together with the schema in one commit', async () => {
    const engine = await opened(file({ policies: owned }));
    const { version } = engine.catalog;
    let states = 0;
    engine['database'].catalogListeners.add(() => states++);
    const renamed = owned.replace('owner', 'author').replace('create', 'delete');
    const author = owner.replace('owner', 'author');
    const text = file({ note: [id, author, more], policies: renamed });
    const { changes } = await migrate(engine, text);
    expect(summaries(changes)).toEqual([
      'rename column note.owner -> author',
      'change row policy of note',
    ]);
    expect([engine.catalog.version, states]).toEqual([version + 1, 1]);
  });

  test('changes claims, adds and removes policies', async () => {
    const engine = await opened(file({ policies: owned }));
    const other = section('member: { read: all }').replace('sub: text', 'sub: text, org: int64');
    const { changes } = await diff(engine, file({ policies: other }));
    expect(changes.map(({ kind, summary }) => [kind, summary])).toEqual([
      ['policy_changed', 'change claims of row policies'],
      ['policy_removed', 'delete row policy of note'],
      ['policy_added', 'create row policy of member'],
    ]);
  });

  test('removes them with `none`, and leaves them without the section', async () => {
    const engine = await opened(file({ policies: owned }));
    const { policies } = engine.catalog;
    expect((await migrate(engine, file({}))).changes).toEqual([]);
    expect(engine.catalog.policies).toBe(policies);
    const { changes } = await migrate(engine, file({ policies: noPolicies }));
    expect(summaries(changes)).toEqual(['disable row policies', 'delete row policy of note']);
    expect(engine.catalog.policies).toBeUndefined();
    expect((await diff(engine, file({ policies: noPolicies }))).changes).toEqual([]);
  });

  test('that cannot be bound is refused, and nothing is changed', async () => {
    const engine = await opened();
    const { catalog } = engine;
    const wrong = desiredOf(file({ policies: owned }));
    const ofId = structuredClone(wrong.policies) as unknown as {
      tables: [{ read: { where: { left: { column: number } } } }];
    };
    ofId.tables[0].read.where.left.column = 1;
    const policies = ofId as unknown as Policies;
    const failure = await failureOf(engine.schema.diff(wrong.catalog, policies));
    expect(failure).toMatchObject({ reason: 'invalid', location: { pointer: '/body/schema' } });
    expect(failure.detail).toContain('the read policy of table "note": /where');
    expect(engine.catalog).toBe(catalog);
  });
});

describe('a migration', () => {
  test.each<[string, File, string]>([
    [
      'that deletes a column of a policy',
      { note: [id, more] },
      'column note.owner cannot be deleted: the row policy of table note reads it; change that policy first',
    ],
    [
      'that replaces a column of a policy',
      { note: [id, owner.replace('text', 'int64'), more] },
      'column note.owner cannot be replaced: the row policy of table note reads it; change that policy first',
    ],
    [
      'that deletes a table of the policy of another table',
      { member: [] },
      'table member cannot be deleted: the row policy of table note reads it; change that policy first',
    ],
    [
      'that deletes a column of the policy of another table',
      { member: [id] },
      'column member.owner cannot be deleted: the row policy of table note reads it; change that policy first',
    ],
  ])('%s is blocked, and not with other policies', async (_, change, summary) => {
    const engine = await opened(file({ policies: ofMembers }));
    const { blocking } = await diff(engine, file(change));
    expect(summaries(blocking)).toContain(summary);
    expect(blocking.every(({ kind }) => kind === 'policy_dependency')).toBe(true);
    const refused = await failureOf(migrate(engine, file(change)));
    expect(refused).toMatchObject({ reason: 'constraint_violation' });
    expect(refused.detail).toContain(summary);
    const policies = section('note: { read: all }');
    expect((await diff(engine, file({ ...change, policies }))).blocking).toEqual([]);
    await migrate(engine, file({ ...change, policies }));
    expect(engine.catalog.policies?.tables).toEqual([{ table: 1, read: 'all' }]);
  });

  test('whose policies read a column under replacement is blocked', async () => {
    const engine = await opened();
    const text = file({ note: [id, owner.replace('text', 'int64'), more] });
    const { transitionIds } = await migrate(engine, text);
    expect(transitionIds).toHaveLength(1);
    const { blocking } = await diff(engine, file({ policies: owned }));
    expect(summaries(blocking).join()).toContain(
      `column note.owner is being replaced by ${transitionIds[0]}: the row policy of table note reads it`,
    );
  });

  test('that deletes a table deletes its policy, without the scope admin', async () => {
    const engine = await opened(file({ policies: `${owned}    member: { read: all }\n` }));
    const principal = keyPrincipal('k', { kind: 'token', scopes: new Set(['schema']) });
    const { changes } = await migrate(engine, file({ member: [] }), { principal });
    expect(summaries(changes)).toEqual(['delete table member']);
    expect(engine.catalog.policies?.tables.map(({ table }) => table)).toEqual([1]);
  });

  test('that changes policies needs the scope admin', async () => {
    const engine = await opened();
    const principal = keyPrincipal('k', { kind: 'token', scopes: new Set(['schema', 'read']) });
    const asked = migrate(engine, file({ policies: owned }), { principal });
    expect(await failureOf(asked)).toMatchObject({ reason: 'insufficient_scope' });
    expect(engine.catalog.policies).toBeUndefined();
    const same = await migrate(engine, file({ policies: noPolicies }), { principal });
    expect(same.changes).toEqual([]);
  });

  test('that is based on other policies is refused, except as a repetition', async () => {
    const engine = await opened();
    const currentPolicyHash = policyHash(engine.catalog);
    await migrate(engine, file({ policies: owned }), { currentPolicyHash });
    const { policies } = engine.catalog;
    await migrate(engine, file({ policies: owned }), { currentPolicyHash });
    expect(engine.catalog.policies).toBe(policies);
    const outdated = migrate(engine, file({ policies: ofMembers }), { currentPolicyHash });
    const { reason, detail } = await failureOf(outdated);
    expect(reason).toBe('serializable_conflict');
    expect(detail).toContain('row policies changed since preflight');
    const now = policyHash(engine.catalog);
    await migrate(engine, file({ policies: ofMembers }), { currentPolicyHash: now });
    expect(engine.catalog.policies).not.toBe(policies);
  });

  test('announces a change of policies, and is ended by a failure of that', async () => {
    const engine = await opened();
    let announced = 0;
    const beforePolicyChange = () => {
      announced++;
      if (announced === 2) throw new Error('the audit log is full');
    };
    await migrate(engine, file({}), { beforePolicyChange });
    expect(announced).toBe(0);
    await migrate(engine, file({ policies: owned }), { beforePolicyChange });
    expect(announced).toBe(1);
    const failed = migrate(engine, file({ policies: noPolicies }), { beforePolicyChange });
    expect(await failed.catch(String)).toContain('the audit log is full');
    expect(engine.catalog.policies).toBeDefined();
  });
});
