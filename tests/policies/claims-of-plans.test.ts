/** A claim is a parameter of the plan, whatever its value was when the plan was made. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { PolicyCondition } from '#catalog';
import { fail } from '#failure';
import { openMemoryEngine } from '../http/support.ts';
import { databaseOver, type TestDatabase } from '../support/database.ts';
import {
  all,
  claim,
  column,
  create,
  equal,
  fillNotes,
  notesPolicies,
  setPolicies,
  user,
} from './support.ts';

const users: Readonly<Record<string, Readonly<Record<string, boolean | string>>>> = {
  staff: { sub: 'ada', staff: true },
  guest: { sub: 'ada', staff: false },
  nobody: {},
};

let db: TestDatabase;

beforeEach(async () => {
  const engine = await openMemoryEngine('direct');
  await fillNotes(engine, notesPolicies);
  const authenticate = ({ authorization }: { readonly authorization: string | null }) => {
    const name = authorization?.replace('Bearer ', '') ?? '';
    const claims = users[name];
    if (claims === undefined) throw fail('missing_token', 'the request has no access token');
    return user(name, claims);
  };
  db = databaseOver(engine, undefined, { authenticator: { authenticate } });
});

afterEach(() => db[Symbol.asyncDispose]());

const staff = claim('staff');
const own = equal(column('row', 2), claim('sub'));
const joined = (on: PolicyCondition['where']): PolicyCondition => ({
  where: { kind: 'exists', node: 'join' },
  nodes: {
    t: { kind: 'scan', table: 1, scope: 't' },
    m: { kind: 'scan', table: 2, scope: 'm' },
    join: { kind: 'join', join: 'inner', left: 't', right: 'm', on },
  },
});

describe('the first user of a plan has a claim that is true, the next ones have not', () => {
  test.each<[string, PolicyCondition, number[]]>([
    ['alone', { where: staff }, [1, 2, 3, 4]],
    ['before a comparison', { where: { kind: 'binary', op: 'and', left: staff, right: own } }, [1]],
    ['after a comparison', { where: { kind: 'binary', op: 'and', left: own, right: staff } }, [1]],
    ['in a join', joined(staff), [1, 2, 3, 4]],
  ])('%s', async (_, read, visible) => {
    const rest = notesPolicies.tables.filter(({ table }) => table !== 3);
    await setPolicies(db.engine, {
      claims: [...notesPolicies.claims, { name: 'staff', type: 'bool' }],
      tables: [...rest, { table: 3, read }],
    });
    const { relation } = all('note') as { readonly relation: unknown };
    for (const [name, ids] of [
      ['staff', visible],
      ['guest', []],
      ['nobody', []],
    ] as const) {
      const { json } = await db.send('QUERY', '/execute', relation, {
        authorization: `Bearer ${name}`,
      });
      expect((json as { readonly id: number }[]).map(({ id }) => Number(id))).toEqual([...ids]);
    }
  });
});

test('nor of the plan of a change', async () => {
  const rest = notesPolicies.tables.filter(({ table }) => table !== 3);
  const all = 'all' as const;
  const changes = { create: { where: staff }, update: { where: staff }, delete: { where: staff } };
  await setPolicies(db.engine, {
    claims: [...notesPolicies.claims, { name: 'staff', type: 'bool' }],
    tables: [...rest, { table: 3, read: all, ...changes }],
  });
  const run = async (name: string, statement: object) =>
    (
      await db.send(
        'POST',
        '/execute',
        { statements: [statement] },
        { authorization: `Bearer ${name}` },
      )
    ).status;
  const note = (id: number) => create('note', [[String(id), 'ada', null, 'x', '1']]);
  const change = (id: number) => create('note', [[String(id), 'y']], 'update', ['id', 'body']);
  const removal = (id: number) => create('note', [[String(id)]], 'delete', ['id']);
  for (const of of [note, change, removal]) {
    expect(await run('staff', of(10))).toBe(200);
    expect(await run('guest', of(of === note ? 11 : 1))).not.toBe(200);
  }
});
