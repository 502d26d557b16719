/** Batches are small where rows are long or wide, and what looks through long texts does so a few rows at a time. */

import { expect, test } from 'bun:test';
import type { PlanExpression, RelationPlan } from '#planner';
import type { Row } from '#value';
import { MemoryTransaction } from './support/memory-transaction.ts';
import {
  col,
  compare,
  filter,
  hashJoin,
  interval,
  loopJoin,
  Parameters,
  scalar,
  scan,
} from './support/plans.ts';
import {
  catalogOf,
  mutation,
  query,
  run,
  runNow,
  type Setting,
  tableOf,
  testWorld,
} from './support/run.ts';

const long = 'x'.repeat(100_000);

function filled(textBytes: number, columns: number, rows: number) {
  const texts = Array.from({ length: columns }, (_, i) => `c${i}`);
  const catalog = catalogOf({
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      ...texts.map((name) => ({ name, type: 'text' as const })),
    ],
    primary_key: ['id'],
    indexes: [{ name: 'by_id', columns: ['id'] }],
  });
  const transaction = new MemoryTransaction();
  const p = new Parameters();
  const input = p.rows(
    ['int64', ...texts.map(() => 'text' as const)],
    Array.from({ length: rows }, (_, i): Row => [i, ...texts.map(() => 'x'.repeat(textBytes))]),
  );
  const statement = mutation('create', catalog, ['t', 'id', ...texts], input);
  runNow([statement], { catalog, transaction, parameters: p.values });
  return { catalog, transaction, table: tableOf(catalog, 't') };
}

/** How many rows each call of the root gave, on average. */
function rowsOfBatch(root: RelationPlan, setting: Setting): number {
  const outcome = runNow([query('q', root)], setting);
  const site = outcome.statements[0] as unknown as {
    readonly operators: readonly { readonly calls: number; readonly rowsOut: number }[];
  };
  const last = site.operators.at(-1) as { readonly calls: number; readonly rowsOut: number };
  return last.rowsOut / (last.calls - 1);
}

test('a scan reads about a mebibyte into a batch', () => {
  const { catalog, transaction, table } = filled(100_000, 1, 50);
  const [index] = table.indexes;
  if (index === undefined) throw new Error('the table has an index');
  const byIndex = scan(table, { access: { kind: 'index', index, interval: interval([]) } });
  for (const plan of [scan(table), byIndex]) {
    const rows = rowsOfBatch(plan, { catalog, transaction });
    expect(rows).toBeGreaterThan(5);
    expect(rows).toBeLessThanOrEqual(13);
  }
});

test('a scan of many columns reads few rows at a time', () => {
  const { catalog, transaction, table } = filled(1, 500, 400);
  expect(rowsOfBatch(scan(table), { catalog, transaction })).toBeLessThanOrEqual(140);
});

const matches = (value: PlanExpression): PlanExpression => ({
  kind: 'text_match',
  value,
  parts: [{ kind: 'any_many' }, { kind: 'literal', value: 'y' }, { kind: 'any_many' }],
  comparison: 'exact',
  type: scalar('bool'),
});

async function yieldsOf(root: RelationPlan, p: Parameters): Promise<number> {
  const world = testWorld(2);
  await run([query('q', root)], { world, parameters: p.values });
  return world.yields;
}

test('one long text beside a thousand rows is matched in portions', async () => {
  const p = new Parameters();
  const left = p.rows(['int64', 'text'], [[1, long]]);
  const right = p.rows(
    ['int64', 'int64'],
    Array.from({ length: 1000 }, (_, i): Row => [1, i]),
  );
  const keys: [PlanExpression, PlanExpression][] = [[col(0, 'int64'), col(0, 'int64')]];
  const joined = hashJoin('inner', left, right, { keys });
  // A hundred million characters are a hundred portions: every other one gives way.
  expect(await yieldsOf(filter(joined, matches(col(1, 'text'))), p)).toBeGreaterThanOrEqual(40);
  const lessThan = compare('lt', col(1, 'text'), col(1, 'text'));
  expect(await yieldsOf(filter(joined, lessThan), p)).toBeGreaterThanOrEqual(40);
});

test('so is one that a loop join compares with a thousand rows', async () => {
  const p = new Parameters();
  const left = p.rows(['int64', 'text'], [[1, long]]);
  const right = p.rows(
    ['int64'],
    Array.from({ length: 1000 }, (_, i): Row => [i]),
  );
  const joined = loopJoin('inner', left, right, matches(col(1, 'text')));
  expect(await yieldsOf(joined, p)).toBeGreaterThanOrEqual(30);
});
