/** One row by its key: updated and deleted in plain calls, or by operators where those are made to, with the same rows, entries and refusals. */

import { expect, test } from 'bun:test';
import type { PlanExpression, RelationPlan } from '#planner';
import type { Row } from '#value';
import { Bench } from './mutate/support.ts';
import type { MemoryTransaction } from './support/memory-transaction.ts';
import {
  arith,
  col,
  compare,
  interval,
  Parameters,
  project,
  scan,
  slice,
} from './support/plans.ts';
import { catalogOf, failureOf, mutation, run, runNow, tableOf } from './support/run.ts';

const catalog = catalogOf({
  name: 't',
  columns: [
    { name: 'a', type: 'int64' },
    { name: 'b', type: 'text' },
    { name: 'n', type: 'int64' },
    { name: 'f', type: 'float64', nullable: true },
    { name: 'u', type: 'int64', nullable: true },
  ],
  primary_key: ['a', 'b'],
  indexes: [{ name: 'by_u', columns: ['u'], unique: true }],
});
const table = tableOf(catalog, 't');

function filled(): Bench {
  const bench = new Bench(catalog);
  bench.create(
    ['t', 'a', 'b', 'n', 'f', 'u'],
    [1, 'x', 10, 0.5, 1],
    [1, 'y', 20, null, 2],
    [2, 'x', 2 ** 53 - 1, -0, null],
  );
  return bench;
}

type Assign = (p: Parameters) => readonly [string, PlanExpression];

const n = col(2, 'int64');
const f = col(3, 'float64');
const assignments: readonly Assign[] = [
  (p) => ['n', arith('add', n, p.lit('int64', 5))],
  (p) => ['n', arith('sub', p.lit('int64', 5), arith('mul', n, n))],
  (p) => ['f', arith('div', f, p.lit('float64', 4))],
  (p) => ['f', arith('add', f, arith('add', f, p.lit('float64', 1)))],
  (p) => ['f', p.lit('float64', null)],
  (p) => ['n', arith('div', n, p.lit('int64', 0))],
  (p) => ['n', p.lit('int64', null)],
  () => ['n', col(0, 'int64')],
  (p) => ['u', p.lit('int64', 2)],
  (p) => ['n', arith('add', col(4, 'int64'), p.lit('int64', 1))],
  (p) => [
    'n',
    {
      kind: 'coalesce',
      operands: [col(4, 'int64'), arith('div', n, p.lit('int64', 0))],
      type: { kind: 'int64' },
    },
  ],
  (p) => [
    'f',
    {
      kind: 'branch',
      arms: [{ when: compare('eq', n, p.lit('int64', 10)), then: p.lit('float64', 7) }],
      otherwise: f,
      type: { kind: 'float64' },
    },
  ],
  () => ['n', arith('add', n, { kind: 'cast', operand: f, to: 'int64', type: { kind: 'int64' } })],
  (p) => ['u', p.lit('int64', 9)],
];

/** The update of the row that is read by this key; `byOperators` puts a node on top that changes nothing. */
function updated(bench: Bench, key: Row, assign: Assign, byOperators: boolean) {
  const p = new Parameters();
  const prefix = interval([p.lit('int64', key[0] as number), p.lit('text', key[1] as string)]);
  const point = scan(table, { access: { kind: 'primary', interval: prefix } });
  const [name, value] = assign(p);
  const root = project(point, col(0, 'int64'), col(1, 'text'), value);
  const relation = byOperators ? slice(root, 0) : root;
  const statement = mutation('update', catalog, ['t', 'a', 'b', name], relation);
  const transaction = bench.transaction.slow(0);
  const [outcome] = runNow([statement], { catalog, transaction, parameters: p.values }).statements;
  return { outcome, entries: transaction.entries, gets: transaction.gets };
}

const keys: readonly Row[] = [
  [1, 'x'],
  [1, 'y'],
  [2, 'x'],
  [3, 'x'],
  [null, 'x'],
];

test('it leaves what operators leave, and refuses what they refuse', () => {
  const bench = filled();
  let plain = 0;
  for (const key of keys) {
    for (const assign of assignments) {
      const both = [false, true].map((byOperators) => {
        try {
          return updated(bench, key, assign, byOperators);
        } catch (error) {
          return failureOf(() => {
            throw error;
          });
        }
      });
      const [one, other] = both as [(typeof both)[0], (typeof both)[0]];
      if (typeof one === 'string' || typeof other === 'string') {
        expect(one).toEqual(other);
        continue;
      }
      expect(one.outcome?.affected).toBe(other.outcome?.affected as number);
      expect(one.entries).toEqual(other.entries);
      if (one.outcome?.operators.length === 0) plain++;
    }
  }
  expect(plain).toBeGreaterThan(20);
});

test('a row is read once', () => {
  const { gets } = updated(filled(), [1, 'x'], assignments[0] as Assign, false);
  expect(gets).toBe(1);
});

test('a row that came with the program changes what it names', () => {
  const bench = filled();
  expect(bench.update(['t', 'b', 'n', 'a'], ['x', 7, 1])).toEqual([[1, 'x', 7, 0.5, 1]]);
  expect(bench.rows('t')[0]).toEqual([1, 'x', 7, 0.5, 1]);
  for (const [wrong, reason] of [
    [['z', 7, 1], 'mutation_target_not_found'],
    [[null, 7, 1], 'mutation_target_not_found'],
    [['x', null, 1], 'constraint_violation'],
  ] as [Row, string][]) {
    expect(failureOf(() => bench.update(['t', 'b', 'n', 'a'], wrong))).toStartWith(reason);
  }
});

test('a row that has to be waited for is updated all the same', async () => {
  const bench = filled();
  const slow = bench.transaction.slow(2);
  // The question after this one has to wait.
  slow.get(new Uint8Array(1));
  const p = new Parameters();
  const rows = p.rows(['int64', 'text', 'int64'], [[1, 'x', 7]]);
  const statement = mutation('update', catalog, ['t', 'a', 'b', 'n'], rows);
  await run([statement], { catalog, transaction: slow, parameters: p.values });
  bench.update(['t', 'a', 'b', 'n'], [1, 'x', 7]);
  expect(slow.entries).toEqual(bench.transaction.entries);
});

test('its row is in account', () => {
  const p = new Parameters();
  const rows = p.rows(['int64', 'text', 'int64'], [[1, 'x', 7]]);
  const statement = mutation('update', catalog, ['t', 'a', 'b', 'n'], rows);
  const transaction: MemoryTransaction = filled().transaction;
  const setting = { catalog, transaction, parameters: p.values, limits: { memoryBytes: 64 } };
  expect(failureOf(() => runNow([statement], setting))).toStartWith('memory_limit');
});

const byUnique = (p: Parameters, value: number | null) =>
  scan(table, {
    access: {
      kind: 'index',
      index: table.indexes[0] as (typeof table.indexes)[number],
      interval: interval([p.lit('int64', value)]),
    },
  });
const byKey = (p: Parameters, a: number | null, b: string) =>
  scan(table, {
    access: { kind: 'primary', interval: interval([p.lit('int64', a), p.lit('text', b)]) },
  });

/** Rows, entries and operators of a delete; `byOperators` as above. */
function deleted(bench: Bench, point: (p: Parameters) => RelationPlan, byOperators: boolean) {
  const p = new Parameters();
  const root = point(p);
  const relation = byOperators ? slice(root, 0) : root;
  const statement = mutation('delete', catalog, ['t', 'a', 'b'], relation);
  const transaction = bench.transaction.slow(0);
  const outcome = runNow([statement], { catalog, transaction, parameters: p.values });
  const { operators } = outcome.statements[0] as (typeof outcome.statements)[number];
  return { rows: outcome.result?.rows, entries: transaction.entries, operators };
}

test('a delete by key or unique index leaves what operators leave, index entries as well', () => {
  const bench = filled();
  const points: readonly ((p: Parameters) => RelationPlan)[] = [
    (p) => byKey(p, 1, 'x'),
    (p) => byKey(p, 2, 'x'),
    (p) => byKey(p, 3, 'x'),
    (p) => byKey(p, null, 'x'),
    (p) => project(byUnique(p, 2), col(0, 'int64'), col(1, 'text')),
    (p) => project(byUnique(p, 5), col(0, 'int64'), col(1, 'text')),
  ];
  let gone = 0;
  for (const point of points) {
    const plain = deleted(bench, point, false);
    const other = deleted(bench, point, true);
    expect(plain.rows).toEqual(other.rows as readonly Row[]);
    expect(plain.entries).toEqual(other.entries);
    expect(plain.operators).toEqual([]);
    expect(other.operators.length).toBeGreaterThan(0);
    gone += plain.rows?.length ?? 0;
  }
  expect(gone).toBe(3);
});

test('a delete by a row that came with the program refuses what is not there', () => {
  const bench = filled();
  expect(bench.delete(['t', 'b', 'a'], ['y', 1])).toEqual([[1, 'y', 20, null, 2]]);
  expect(bench.rows('t').length).toBe(2);
  expect(bench.rowsByIndex('t', 'by_u').length).toBe(2);
  for (const wrong of [
    ['y', 1],
    [null, 1],
  ] as Row[]) {
    const failure = bench.failure(() => bench.delete(['t', 'b', 'a'], wrong));
    expect(failure).toStartWith('mutation_target_not_found');
  }
});

test('an update by unique index moves its entry, and is refused where the value is taken', () => {
  const change = (to: number) => (p: Parameters) =>
    mutation(
      'update',
      catalog,
      ['t', 'a', 'b', 'u'],
      project(byUnique(p, 2), col(0, 'int64'), col(1, 'text'), p.lit('int64', to)),
    );
  const bench = filled();
  const p = new Parameters();
  expect(bench.run([change(8)(p)], p)).toEqual([[1, 'y', 20, null, 8]]);
  expect(bench.rowsByIndex('t', 'by_u')).toEqual(bench.rows('t'));
  const again = new Parameters();
  expect(bench.run([change(8)(again)], again)).toEqual([]);
  const q = new Parameters();
  const taken = mutation(
    'update',
    catalog,
    ['t', 'a', 'b', 'u'],
    project(byKey(q, 1, 'y'), col(0, 'int64'), col(1, 'text'), q.lit('int64', 1)),
  );
  expect(bench.failure(() => bench.run([taken], q))).toStartWith('constraint_violation');
});

test('a key other than the one that was read is left to operators', () => {
  const bench = filled();
  const p = new Parameters();
  const other = project(byKey(p, 1, 'x'), p.lit('int64', 2), col(1, 'text'));
  expect(bench.run([mutation('delete', catalog, ['t', 'a', 'b'], other)], p)).toEqual([
    [2, 'x', 2 ** 53 - 1, -0, null],
  ]);
});
