/** One row by its primary key: read in plain calls where nothing is written, by operators in a transaction, with the same answer. */

import { expect, test } from 'bun:test';
import { Budget, executeProgram, Memory } from '#executor';
import type { RelationPlan } from '#planner';
import type { Row } from '#value';
import { MemoryTransaction } from './support/memory-transaction.ts';
import { col, interval, Parameters, project, scan } from './support/plans.ts';
import {
  catalogOf,
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
  indexes: [],
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
    slots: [0, 1, 2],
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
