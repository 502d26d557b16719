/** One row by its primary key or a unique index: read in plain calls, in a transaction or not, with the answer of operators and the same keys asked for. */

import { expect, test } from 'bun:test';
import { Budget, executeProgram, Memory } from '#executor';
import type { RelationPlan } from '#planner';
import type { Row } from '#value';
import { MemoryTransaction } from './support/memory-transaction.ts';
import { col, interval, Parameters, project, scan, slice } from './support/plans.ts';
import {
  catalogOf,
  failureOf,
  mutation,
  programOf,
  query,
  rowsOf,
  runNow,
  tableOf,
  testWorld,
} from './support/run.ts';

const catalog = catalogOf({
  name: 't',
  columns: [
    { name: 'a', type: 'int64' },
    { name: 'b', type: 'text' },
    { name: 'c', type: 'int64', nullable: true },
  ],
  primary_key: ['a', 'b'],
  indexes: [{ name: 'by_c', columns: ['c'], unique: true }],
});
const table = tableOf(catalog, 't');
const transaction = new MemoryTransaction();
const rows: Row[] = [
  [1, 'x', 10],
  [1, 'y', null],
  [2, 'x', 30],
];
const filling = new Parameters();
runNow(
  [
    mutation(
      'create',
      catalog,
      ['t', 'a', 'b', 'c'],
      filling.rows(['int64', 'text', 'int64'], rows),
    ),
  ],
  { catalog, transaction, parameters: filling.values },
);

/** Notes the keys that it is asked for, as a transaction does for the checks of its commit. */
class NotingTransaction extends MemoryTransaction {
  readonly keys: string[] = [];
  bytesOfRead = 0;
  override get(key: Uint8Array) {
    this.keys.push(key.toHex());
    this.readBytes += this.bytesOfRead;
    return super.get(key);
  }
}

const byIndex = (p: Parameters, value: number | null) =>
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

test('in a transaction, by key and by unique index, it asks for the keys that operators ask for', () => {
  const points: readonly ((p: Parameters) => RelationPlan)[] = [
    (p) => byKey(p, 1, 'x'),
    (p) => byKey(p, 3, 'x'),
    (p) => byKey(p, null, 'x'),
    (p) => byIndex(p, 30),
    (p) => byIndex(p, 31),
    (p) => byIndex(p, null),
    (p) => project(byIndex(p, 10), col(2, 'int64'), col(0, 'int64')),
  ];
  let found = 0;
  for (const point of points) {
    const [plain, operators] = [false, true].map((isTopped) => {
      const p = new Parameters();
      const root = point(p);
      const noting = new NotingTransaction(0, transaction.entries);
      const statement = query('q', isTopped ? slice(root, 0) : root);
      const outcome = runNow([statement], { transaction: noting, parameters: p.values });
      return {
        rows: outcome.result?.rows,
        keys: noting.keys,
        ran: outcome.statements[0]?.operators,
      };
    });
    expect(plain?.rows).toEqual(operators?.rows as readonly Row[]);
    expect(plain?.keys).toEqual(operators?.keys as string[]);
    expect(plain?.ran).toEqual([]);
    expect(operators?.ran?.length).toBeGreaterThan(0);
    found += plain?.rows?.length ?? 0;
  }
  expect(found).toBe(3);
});

test('a later statement of the transaction sees what an earlier one wrote', () => {
  const p = new Parameters();
  const statements = [
    mutation(
      'create',
      catalog,
      ['t', 'a', 'b', 'c'],
      p.rows(['int64', 'text', 'int64'], [[9, 'z', 90]]),
    ),
    query('q', byIndex(p, 90)),
  ];
  const outcome = runNow(statements, {
    catalog,
    transaction: transaction.slow(0),
    parameters: p.values,
    result: 'q',
  });
  expect(outcome.result?.rows).toEqual([[9, 'z', 90]]);
  expect(outcome.statements[1]?.operators).toEqual([]);
});

test('what a transaction remembers of its reads is in account of a read', () => {
  const p = new Parameters();
  const noting = new NotingTransaction(0, transaction.entries);
  noting.bytesOfRead = 1 << 20;
  const setting = { transaction: noting, parameters: p.values, limits: { memoryBytes: 1 << 19 } };
  expect(failureOf(() => runNow([query('q', byKey(p, 1, 'x'))], setting))).toStartWith(
    'memory_limit',
  );
});

test('operators read where something is estimated, and what has to be waited for', async () => {
  const p = new Parameters();
  const root = byIndex(p, 30);
  const world = testWorld();
  const context = (view: MemoryTransaction) => ({
    view,
    world,
    budget: new Budget(world, { timeoutMs: 0 }),
    memory: new Memory(1 << 20),
  });
  const program = programOf([query('q', root)], { parameters: p.values });
  const tableEstimates = [{ table, rows: 1, survey: 0, remote: [], surveyFacts: undefined }];
  const estimated = await executeProgram({ ...program, tableEstimates }, context(transaction));
  expect(estimated.statements[0]?.operators.length).toBe(1);
  // The entry has to be waited for, or the row.
  for (const before of [1, 2]) {
    const slow = transaction.slow(3);
    for (let i = 0; i < before; i++) slow.get(new Uint8Array(1));
    const waited = await executeProgram(program, context(slow));
    expect(waited.result?.rows).toEqual([[2, 'x', 30]]);
    expect(waited.statements[0]?.operators.length).toBe(1);
  }
});

function read(
  root: RelationPlan,
  parameters: Parameters,
  view: MemoryTransaction,
  bytes = 1 << 20,
) {
  const world = testWorld();
  const program = programOf([query('q', root)], { parameters: parameters.values });
  return executeProgram(program, {
    view,
    world,
    budget: new Budget(world, { timeoutMs: 0 }),
    memory: new Memory(bytes),
  });
}

test('it is what operators read, without any of them', async () => {
  for (const key of [
    [1, 'x'],
    [1, 'y'],
    [3, 'x'],
    [null, 'x'],
  ] as const) {
    const p = new Parameters();
    const at = interval([p.lit('int64', key[0]), p.lit('text', key[1])]);
    const point = scan(table, { access: { kind: 'primary', interval: at } });
    for (const root of [point, project(point, col(2, 'int64'), col(0, 'int64'))]) {
      const expected = rowsOf(root, { transaction, parameters: p.values });
      const outcome = await read(root, p, transaction);
      expect(outcome.result?.rows).toEqual(expected);
      expect(outcome.statements[0]).toEqual({
        name: 'q',
        affected: expected.length,
        operators: [],
      });
      const slow = transaction.slow(2);
      // The question after this one has to wait.
      slow.get(new Uint8Array(1));
      const waited = await read(root, p, slow);
      expect(waited.result?.rows).toEqual(expected);
    }
  }
});

test('its row is in account', () => {
  const p = new Parameters();
  const at = interval([p.lit('int64', 1), p.lit('text', 'x')]);
  const point = scan(table, { access: { kind: 'primary', interval: at } });
  expect(() => read(point, p, transaction, 64)).toThrow('memory');
});

test('rows of several statements are read so, whether a later one reads them or nobody does', async () => {
  const p = new Parameters();
  const pointOf = (a: number, b: string) => {
    const at = interval([p.lit('int64', a), p.lit('text', b)]);
    return scan(table, { access: { kind: 'primary', interval: at } });
  };
  const first = pointOf(1, 'x');
  const again: RelationPlan = {
    kind: 'materialized',
    id: 90,
    source: { kind: 'statement', name: 'first' },
    columnIndexes: [0, 1, 2],
    output: first.output,
    estimatedRows: 1,
  };
  const statements = [
    query('first', first),
    { ...query('unread', pointOf(1, 'y')), isReferenced: false },
    { ...query('none', pointOf(9, 'y')), isReferenced: false },
    query('again', again),
  ];
  const world = testWorld();
  const memory = new Memory(1 << 20);
  const budget = new Budget(world, { timeoutMs: 0 });
  const program = programOf(statements, { parameters: p.values });
  const outcome = await executeProgram(program, { view: transaction, world, budget, memory });
  expect(outcome.result?.rows).toEqual([[1, 'x', 10]]);
  expect(outcome.statements.map(({ affected }) => affected)).toEqual([1, 1, 0, 1]);
  expect(outcome.statements.map(({ operators }) => operators.length)).toEqual([0, 0, 0, 1]);
});
