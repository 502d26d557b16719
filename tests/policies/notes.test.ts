/** Row policies on a database of notes: what each user reads and changes. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import { all, create, notesEngine, notesPolicies, query, refusal, send, user } from './support.ts';

const ids = (rows: readonly Record<string, unknown>[]) => rows.map(({ id }) => id);
const [ada, bob, eve, nobody] = [user('ada'), user('bob'), user('eve'), user('x', {})];

describe('reading', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await notesEngine();
  });
  afterAll(() => engine.close());

  test('each user reads the own rows and those of the own teams', async () => {
    expect(ids(await send(engine, ada, [all('note')]))).toEqual([1, 2]);
    expect(ids(await send(engine, bob, [all('note')]))).toEqual([2, 3]);
    expect(ids(await send(engine, eve, [all('note')]))).toEqual([4]);
    expect(ids(await send(engine, undefined, [all('note')]))).toEqual([1, 2, 3, 4]);
  });

  test('a principal without the claim reads nothing, but all rows of a table that is open to all', async () => {
    expect(ids(await send(engine, nobody, [all('note')]))).toEqual([]);
    expect(ids(await send(engine, nobody, [all('team')]))).toEqual([1, 2]);
  });

  test('a table without an entry looks like a table that does not exist', async () => {
    const absent = await refusal(engine, ada, [all('secrot')]);
    expect(await refusal(engine, ada, [all('secret')])).toBe(absent.replace('secrot', 'secret'));
    expect(absent).not.toContain('did you mean');
    expect(await refusal(engine, ada, [all('nota')])).toContain('did you mean "note"?');
  });

  test('a predicate that fails on a hidden row does not fail', async () => {
    const quotient = {
      ...{ kind: 'binary', op: 'div' },
      left: { kind: 'lit', value: { type: 'int64', value: '100' } },
      right: { kind: 'col', scope: 't', column: 'size' },
    };
    const ten = { kind: 'lit', value: { type: 'int64', value: '10' } };
    const filtered = query({
      nodes: {
        scan: { kind: 'scan', table: 'note', scope: 't' },
        own: {
          ...{ kind: 'filter', input: 'scan' },
          predicate: {
            ...{ kind: 'binary', op: 'eq' },
            left: { kind: 'col', scope: 't', column: 'owner' },
            right: { kind: 'lit', value: { type: 'text', value: 'ada' } },
          },
        },
        big: {
          ...{ kind: 'filter', input: 'own' },
          predicate: { kind: 'binary', op: 'eq', left: quotient, right: ten },
        },
        root: {
          ...{ kind: 'order', input: 'big' },
          terms: [{ expr: { kind: 'col', scope: 't', column: 'id' } }],
        },
      },
      root: { node: 'root', cardinality: 'many' },
    });
    expect(ids(await send(engine, ada, [filtered]))).toEqual([1]);
  });
});

describe('changing', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await notesEngine();
  });
  afterAll(() => engine.close());

  test('a new row must satisfy the policy, before its key is looked up', async () => {
    expect(await send(engine, ada, [create('note', [['10', 'ada', null, 'n', '1']])])).toHaveLength(
      1,
    );
    const foreign = [create('note', [['4', 'eve', null, 'n', '1']])];
    expect(await refusal(engine, ada, foreign)).toStartWith('policy_violation: ');
    const several = [
      create('note', [
        ['11', 'ada', null, 'n', '1'],
        ['12', 'bob', null, 'n', '1'],
      ]),
    ];
    expect(await refusal(engine, ada, several)).toContain('row 2 of 2');
    expect(ids(await send(engine, undefined, [all('note')]))).toEqual([1, 2, 3, 4, 10]);
  });

  test('a hidden row cannot be updated, and looks like a row that does not exist', async () => {
    const change = (id: string) => [create('note', [[id, 'new']], 'update', ['id', 'body'])];
    const absent = await refusal(engine, ada, change('99'));
    expect(absent).toStartWith('mutation_target_not_found: ');
    expect(await refusal(engine, ada, change('4'))).toBe(absent);
    expect(await send(engine, ada, change('2'))).toMatchObject([{ id: 2, body: 'new' }]);
  });

  test('an updated row must still satisfy the policy', async () => {
    const give = (owner: string) => [create('note', [['1', owner]], 'update', ['id', 'owner'])];
    expect(await refusal(engine, ada, give('bob'))).toStartWith('policy_violation: ');
    expect(await send(engine, ada, give('ada'))).toMatchObject([{ id: 1, owner: 'ada' }]);
  });

  test('a row that may be read but not deleted stays', async () => {
    const drop = (id: string) => [create('note', [[id]], 'delete', ['id'])];
    const absent = await refusal(engine, ada, drop('99'));
    expect(await refusal(engine, ada, drop('2'))).toBe(absent);
    expect(await refusal(engine, ada, drop('3'))).toBe(absent);
    expect(await send(engine, ada, drop('10'))).toMatchObject([{ id: 10 }]);
  });

  test('an action without a rule is permitted to nobody', async () => {
    const add = [create('team', [['3', 'green']])];
    expect(await refusal(engine, ada, add)).toStartWith('policy_violation: ');
    const rename = [create('team', [['1', 'x']], 'update', ['id', 'name'])];
    expect(await refusal(engine, ada, rename)).toStartWith('mutation_target_not_found: ');
  });
});

describe('one row, under a policy that reads only the row', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await notesEngine();
  });
  afterAll(() => engine.close());

  const byKey = (id: string) => {
    const right = { kind: 'lit', value: { type: 'int64', value: id } };
    const left = { kind: 'col', scope: 's', column: 'id' };
    return query({
      nodes: {
        s: { kind: 'scan', table: 'member', scope: 's' },
        f: { kind: 'filter', input: 's', predicate: { kind: 'binary', op: 'eq', left, right } },
      },
      root: { node: 'f', cardinality: 'first' },
    });
  };
  const change = (id: string, to: string) => [
    create('member', [[id, to]], 'update', ['id', 'user']),
  ];

  test('is read by its key only if it is visible', async () => {
    expect(ids(await send(engine, ada, [byKey('1')]))).toEqual([1]);
    expect(ids(await send(engine, ada, [byKey('2')]))).toEqual([]);
    expect(ids(await send(engine, nobody, [byKey('1')]))).toEqual([]);
  });

  test('is changed only if it is visible, and stays so', async () => {
    expect(await refusal(engine, ada, change('1', 'bob'))).toStartWith('policy_violation: ');
    const absent = await refusal(engine, ada, change('9', 'ada'));
    expect(absent).toStartWith('mutation_target_not_found: ');
    expect(await refusal(engine, ada, change('2', 'ada'))).toBe(absent);
    expect(await send(engine, ada, change('1', 'ada'))).toMatchObject([{ id: 1 }]);
  });

  test('is deleted only if it is visible', async () => {
    const drop = (id: string) => [create('member', [[id]], 'delete', ['id'])];
    const absent = await refusal(engine, ada, drop('9'));
    expect(await refusal(engine, ada, drop('2'))).toBe(absent);
    expect(await send(engine, ada, drop('1'))).toMatchObject([{ id: 1 }]);
  });
});

test('a row that may be changed but not read looks like a row that does not exist', async () => {
  const own = notesPolicies.tables.filter(({ table }) => table !== 3);
  const blind = { table: 3, update: 'all', delete: 'all' } as const;
  const engine = await notesEngine({ ...notesPolicies, tables: [...own, blind] });
  const change = [create('note', [['1', 'new']], 'update', ['id', 'body'])];
  expect(await refusal(engine, ada, change)).toStartWith('mutation_target_not_found: ');
  const drop = [create('note', [['1']], 'delete', ['id'])];
  expect(await refusal(engine, ada, drop)).toStartWith('mutation_target_not_found: ');
  await engine.close();
});

test('a predicate that fails is not evaluated where a policy is UNKNOWN', async () => {
  const engine = await notesEngine();
  const lit = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } });
  const id = { kind: 'col', scope: 's', column: 'id' };
  const less = { kind: 'binary', op: 'sub', left: id, right: lit('1') };
  const quotient = { kind: 'binary', op: 'div', left: lit('10'), right: less };
  const failing = query({
    nodes: {
      s: { kind: 'scan', table: 'member', scope: 's' },
      f: {
        ...{ kind: 'filter', input: 's' },
        predicate: { kind: 'binary', op: 'eq', left: quotient, right: lit('5') },
      },
      o: { kind: 'order', input: 'f', terms: [{ expr: id }] },
    },
    root: { node: 'o', cardinality: 'many' },
  });
  expect(await send(engine, nobody, [failing])).toEqual([]);
  expect(await refusal(engine, undefined, [failing])).toStartWith('division_by_zero: ');
  await engine.close();
});
