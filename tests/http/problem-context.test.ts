/** What problems say of the plan: the binding and the crossing of the operator that has failed; and of the server's own troubles the plan and the diagnostics. */

import { afterAll, expect, test } from 'bun:test';
import { fail } from '#failure';
import type { Store, Transaction } from '#storage';
import { openTestDatabase } from '../support/database.ts';
import type { SchemaFile } from '../support/schema-file.ts';

const schema: SchemaFile = {
  tables: [
    {
      id: 1,
      name: 't',
      columns: [
        { id: 1, name: 'id', type: 'int64', pk: true },
        { id: 2, name: 'v', type: 'int64' },
      ],
    },
  ],
};

const db = await openTestDatabase('schema', schema);
afterAll(() => db[Symbol.asyncDispose]());

const column = (scope: string, name: string) => ({ kind: 'col', scope, column: name });
const int = (value: number) => ({ kind: 'lit', value: { type: 'int64', value: String(value) } });
const binary = (op: string, left: object, right: object) => ({ kind: 'binary', op, left, right });

const rows = {
  kind: 'rows',
  scope: 'r',
  columns: ['id', 'v'].map((name) => ({ name, type: 'int64' })),
  rows: [
    ['1', '1'],
    ['2', '0'],
  ],
};
const create = {
  statements: [
    {
      kind: 'create',
      name: 'c',
      table: 't',
      relation: { nodes: { r: rows }, root: { node: 'r', cardinality: 'many' } },
    },
  ],
};
expect((await db.send('POST', '/execute', create)).status).toBe(200);

/** Fails for the second row. */
const divided = (scope: string) => binary('div', int(1), column(scope, 'v'));
const byId = (input: string, scope: string) => ({
  kind: 'order',
  input,
  terms: [{ expr: column(scope, 'id') }],
});
const dividing = {
  s: { kind: 'scan', table: 't', scope: 's' },
  p: {
    kind: 'project',
    input: 's',
    scope: 'p',
    fields: [
      { as: 'id', expr: column('s', 'id') },
      { as: 'q', expr: divided('s') },
    ],
  },
};

interface Problem {
  readonly reason: string;
  readonly execution?: Readonly<Record<string, string>>;
}

async function failureOf(nodes: object, root: object, bindings?: object): Promise<Problem> {
  const relation = { nodes, root, ...(bindings && { bindings }) };
  const statements = [{ kind: 'query', name: 'q', relation }];
  return (await db.send('POST', '/execute', { statements })).json as Problem;
}

test('an operator of the statement itself is in no binding and no crossing', async () => {
  const { reason, execution } = await failureOf(
    { ...dividing, o: byId('p', 'p') },
    { node: 'o', cardinality: 'many' },
  );
  expect([reason, execution]).toEqual([
    'division_by_zero',
    { operator: 'project', operator_id: expect.any(String) },
  ]);
});

test('an operator within a crossing within another one: the inner one', async () => {
  const array = (node: string) => ({ kind: 'array', node });
  const fields = (scope: string, node: string) => [
    { as: 'id', expr: column(scope, 'id') },
    { as: 'none', expr: { kind: 'exists', node: `${node}_e` } },
    { as: 'all', expr: array(node) },
  ];
  const none = (name: string) => ({ kind: 'scan', table: 't', scope: name });
  const { reason, execution } = await failureOf(
    {
      o: { kind: 'scan', table: 't', scope: 'o' },
      op: { kind: 'project', input: 'o', scope: 'op', fields: fields('o', 'm') },
      out: byId('op', 'op'),
      m_e: none('m_e'),
      mm: { kind: 'scan', table: 't', scope: 'mm' },
      mp: { kind: 'project', input: 'mm', scope: 'mp', fields: fields('mm', 'i') },
      m: byId('mp', 'mp'),
      i_e: none('i_e'),
      ...dividing,
      i: byId('p', 'p'),
    },
    { node: 'out', cardinality: 'many' },
  );
  expect([reason, execution]).toEqual([
    'division_by_zero',
    { operator: 'project', operator_id: expect.any(String), crossing: 'array 1' },
  ]);
});

test('an operator of a binding, and a recursion that does not end', async () => {
  const twice = {
    a: { kind: 'ref', binding: 'divided', scope: 'a' },
    b: { kind: 'ref', binding: 'divided', scope: 'b' },
    all: { kind: 'concatenate', inputs: ['a', 'b'], scope: 'all' },
    n: { kind: 'aggregate', input: 'all', aggs: [{ fn: 'sum', as: 'n', arg: column('all', 'q') }] },
  };
  const root = { node: 'n', cardinality: 'scalar' };
  const derived = await failureOf({ ...dividing, ...twice }, root, {
    divided: { kind: 'derived', node: 'p' },
  });
  expect([derived.reason, derived.execution]).toEqual([
    'division_by_zero',
    { operator: 'project', operator_id: expect.any(String), binding: 'divided' },
  ]);
  const endless = await failureOf(
    {
      r: rows,
      w: { kind: 'recursive_ref', binding: 'walk', scope: 'w' },
      p: {
        kind: 'project',
        input: 'w',
        fields: ['id', 'v'].map((as) => ({ as, expr: column('w', as) })),
      },
      z: { kind: 'ref', binding: 'walk', scope: 'z' },
      n: { kind: 'aggregate', input: 'z', aggs: [{ fn: 'count', as: 'n' }] },
    },
    root,
    { walk: { kind: 'recursive', anchor: 'r', step: 'p', accumulation: 'all' } },
  );
  expect([endless.reason, endless.execution]).toEqual(['recursion_limit', { binding: 'walk' }]);
});

test('a commit for which the disk has no room: with the plan and the diagnostics, if they were asked for', async () => {
  const own = await openTestDatabase('schema', schema);
  try {
    const store: Store = own.engine['database'].store;
    const begin = store.begin.bind(store);
    store.begin = (): Transaction => {
      const transaction = begin();
      transaction.commit = async () => {
        throw fail('overloaded', 'the disk is full', { retryAfterSeconds: 1 });
      };
      return transaction;
    };
    const asked = { 'svc-diagnostics': 'summary' };
    const { status, json } = await own.send('POST', '/execute?show-plan=true', create, asked);
    expect([status, json]).toEqual([
      503,
      expect.objectContaining({
        reason: 'overloaded',
        plan: expect.objectContaining({ statements: [expect.objectContaining({ name: 'c' })] }),
        _svc: { diagnostics: expect.objectContaining({ errorReason: 'overloaded' }) },
      }),
    ]);
  } finally {
    await own[Symbol.asyncDispose]();
  }
});
