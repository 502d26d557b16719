/** Crossings that read for several enclosing rows at once against those that read for each alone, with and without waiting. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Column, Index } from '#catalog';
import type { CrossingPlan, RelationPlan, ScanPlan } from '#planner';
import type { Row } from '#value';
import { outcomeOf } from '../support/outcome.ts';
import { MemoryTransaction } from './support/memory-transaction.ts';
import {
  col,
  compare,
  filter,
  interval,
  node,
  out,
  Parameters,
  project,
  reg,
  scan,
  slice,
  sort,
} from './support/plans.ts';
import { catalogOf, mutation, query, rowsBothWays, run, runNow, tableOf } from './support/run.ts';

const catalog = catalogOf(
  {
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'k', type: 'int64', nullable: true },
      { name: 'v', type: 'int64' },
      { name: 'body', type: 'text' },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'by_k', columns: ['k'] }],
  },
  {
    name: 'pairs',
    columns: [
      { name: 'k', type: 'int64' },
      { name: 'id', type: 'int64' },
      { name: 'v', type: 'int64' },
      { name: 'body', type: 'text' },
    ],
    primary_key: ['k', 'id'],
  },
);
const table = tableOf(catalog, 't');
const pairs = tableOf(catalog, 'pairs');
const byK = table.indexes[0] as Index;

/** Of key k there are k rows; of NULL some. */
const rows: Row[] = [];
for (let k = 0; k < 40; k++) {
  for (let i = 0; i < k; i++) {
    const id = (rows.length * 7919) % 1009;
    rows.push([id, k % 13 === 12 ? null : k, i % 5, `${k}.${i}`]);
  }
}

function filled(of: readonly Row[]): MemoryTransaction {
  const transaction = new MemoryTransaction();
  const p = new Parameters();
  const input = p.rows(['int64', 'int64', 'int64', 'text'], of);
  runNow([mutation('create', catalog, ['t', 'id', 'k', 'v', 'body'], input)], {
    catalog,
    transaction,
    parameters: p.values,
  });
  const q = new Parameters();
  const keyed = of.flatMap(([id, k, v, body]): Row[] =>
    k === null ? [] : [[k, id, v, body] as Row],
  );
  const both = q.rows(['int64', 'int64', 'int64', 'text'], keyed);
  runNow([mutation('create', catalog, ['pairs', 'k', 'id', 'v', 'body'], both)], {
    catalog,
    transaction,
    parameters: q.values,
  });
  return transaction;
}

/** What an enclosing row has the key of: an index, an index that holds all columns, a row, or the start of a primary key. */
type Way = 'index' | 'covered' | 'key' | 'range';

interface Shape {
  readonly kind: CrossingPlan['kind'];
  readonly way: Way;
  /** The plan of the crossing has one of its own, which reads by the rows of this one. */
  readonly isNested: boolean;
  readonly reverse: boolean;
  readonly isFiltered: boolean;
  readonly cut: { readonly offset: number; readonly limit: number } | undefined;
  readonly top: number | undefined;
}

function scanOf({ way, reverse }: Shape, register: number): ScanPlan {
  const at = interval([reg(register, 'int64')]);
  if (way === 'index') {
    return scan(table, { access: { kind: 'index', index: byK, interval: at }, reverse });
  }
  if (way === 'covered') {
    const columns = [1, 0].map((column) => table.columns[column] as Column);
    const access = { kind: 'index', index: byK, interval: at } as const;
    return scan(table, { access, reverse, columns, isCovered: true });
  }
  return scan(way === 'key' ? table : pairs, {
    access: { kind: 'primary', interval: at },
    reverse,
  });
}

/**
 * The rows of `outer` with what the shape says of the rows of `t` of the same key; `ahead` rows of each are read at once, 0: none. With `together`
 * the plan below runs once for all of them.
 */
function attached(
  p: Parameters,
  outer: readonly Row[],
  shape: Shape,
  ahead: number,
  together = false,
): RelationPlan {
  const input = p.rows(['int64'], outer);
  const from = scanOf(shape, 0);
  let plan: RelationPlan = from;
  if (shape.way === 'covered')
    plan = project(plan, ...[0, 1, 0, 1].map((columnIndex) => col(columnIndex, 'int64')));
  let cut: number | undefined;
  if (shape.isNested) plan = nested(plan, ahead > 0 && together);
  if (shape.isFiltered) plan = filter(plan, compare('gt', col(2, 'int64'), p.lit('int64', 1)));
  if (shape.top !== undefined) plan = sort(plan, [[2], [0]], shape.top);
  if (shape.cut !== undefined) {
    plan = slice(plan, shape.cut.offset, shape.cut.limit);
    cut = plan.id;
  }
  if (shape.kind === 'scalar') plan = project(plan, col(0, 'int64'));
  const tail = together && { together: true as const, ...(cut !== undefined && { slice: cut }) };
  const crossing: CrossingPlan = {
    kind: shape.kind,
    plan,
    registers: [{ register: 0, columnIndex: 0 }],
    ...(ahead > 0 && { ahead: { scan: from.id, rows: ahead, ...tail } }),
    column: {
      name: 'x',
      type: { kind: 'array', columns: out('int64', 'int64', 'int64', 'text') },
      nullable: false,
    },
  };
  return {
    kind: 'attach',
    input,
    crossings: [crossing],
    ...node([...input.output, ...out('text')]),
  };
}

/** With the rows of `t` that have the number of each row, behind its own columns. */
function nested(input: RelationPlan, isAhead: boolean): RelationPlan {
  const inner = scan(table, {
    access: { kind: 'index', index: byK, interval: interval([reg(1, 'int64')]) },
  });
  const plan = slice(inner, 1, 2);
  const ahead = { scan: inner.id, rows: 3, together: true, slice: plan.id } as const;
  const crossing: CrossingPlan = {
    kind: 'array',
    plan,
    registers: [{ register: 1, columnIndex: 2 }],
    ...(isAhead && { ahead }),
    column: {
      name: 'y',
      type: { kind: 'array', columns: out('int64', 'int64', 'int64', 'text') },
      nullable: false,
    },
  };
  const output = [...input.output, crossing.column];
  return { kind: 'attach', input, crossings: [crossing], ...node(output) };
}

const shapes = fc.record({
  way: fc.constantFrom<Way>('index', 'index', 'covered', 'key', 'range'),
  isNested: fc.boolean(),
  kind: fc.constantFrom<Shape['kind']>('array', 'array', 'first', 'scalar', 'exists'),
  reverse: fc.boolean(),
  isFiltered: fc.boolean(),
  cut: fc.option(fc.record({ offset: fc.nat(3), limit: fc.nat(20) }), { nil: undefined }),
  top: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
});
const key = fc.oneof(fc.nat(45), fc.nat(45), fc.constant(null));
const outers = fc.oneof(
  fc.array(key, { maxLength: 12 }),
  fc.array(key, { minLength: 60, maxLength: 150 }),
);

const transaction = filled(rows);

/** Plans of which only those of an index can begin with rows that were read for them; others run together, or not at all ahead. */
async function agrees(isTogether: boolean): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      outers,
      isTogether ? shapes.map((shape) => ({ ...shape, top: undefined })) : shapes,
      fc.integer({ min: 1, max: 16 }),
      async (keys, drawn, ahead) => {
        const shape: Shape = isTogether ? drawn : { ...drawn, way: 'index' };
        const outer = keys.map((value): Row => [value]);
        const p = new Parameters();
        const alone = attached(p, outer, shape, 0);
        const expected = await rowsBothWays(alone, { transaction, parameters: p.values });
        const q = new Parameters();
        const together = attached(q, outer, shape, ahead, isTogether);
        const found = await rowsBothWays(together, { transaction, parameters: q.values });
        expect(found).toEqual(expected);
        expect(transaction.openCursors).toBe(0);
      },
    ),
    { seed: 3, numRuns: 80 },
  );
}

test('the same values, whatever is read ahead', () => agrees(false));
test('the same values, when the plan runs for many rows at once', () => agrees(true));

const plain: Shape = {
  kind: 'array',
  way: 'index',
  isNested: false,
  reverse: false,
  isFiltered: false,
  cut: undefined,
  top: undefined,
};

test('no row is read twice, and no row beyond those of each key', () => {
  const of = filled(rows);
  const outer: Row[] = [[5], [9], [5], [100], [null], [2]];
  const p = new Parameters();
  const plan = attached(p, outer, plain, 16);
  const before = of.gets;
  const { result } = runNow([query('q', plan)], { transaction: of, parameters: p.values });
  expect(result?.rows.map((row) => (row[1] as readonly Row[]).length)).toEqual([5, 9, 5, 0, 0, 2]);
  expect(of.gets - before).toBe(5 + 9 + 2);
});

describe('rows that have no room are left to their runs', () => {
  const long = 'x'.repeat(300_000);
  const of = filled(Array.from({ length: 24 }, (_, i): Row => [i, 1 + (i % 6), i, `${long}${i}`]));
  const outer: Row[] = [[1], [2], [3], [4], [5], [6]];

  test('and are the same', async () => {
    const p = new Parameters();
    const setting = { transaction: of, parameters: p.values };
    const expected = await rowsBothWays(attached(p, outer, plain, 0), setting);
    const found = await rowsBothWays(attached(p, outer, plain, 16), setting);
    expect(found).toEqual(expected);
    const last = found.at(-1) as readonly [number, readonly Row[]];
    expect(last[1].map((row) => row[0])).toEqual([5, 11, 17, 23]);
  });
});

test('a key that comes again when its value has been forgotten', async () => {
  const long = 'y'.repeat(300_000);
  // Values of more than 4 MiB make a crossing forget those before them.
  const of = filled([
    [0, 1, 0, 'short'],
    ...Array.from({ length: 18 }, (_, i): Row => [i + 1, 2 + (i % 3), i, `${long}${i}`]),
  ]);
  const outer: Row[] = [[1], [2], [3], [4], [1]];
  const p = new Parameters();
  const setting = { transaction: of, parameters: p.values };
  const found = await rowsBothWays(attached(p, outer, plain, 16), setting);
  expect(found[4]?.[1]).toEqual([[0, 1, 0, 'short']]);
  expect(found).toEqual(await rowsBothWays(attached(p, outer, plain, 0), setting));
});

test('a read that fails leaves no cursor open', async () => {
  class Failing extends MemoryTransaction {
    override wait(): Promise<void> | undefined {
      return this.openCursors > 0 ? Promise.reject(new Error('no store')) : undefined;
    }
  }
  const of = new Failing(0, transaction.entries);
  const p = new Parameters();
  const plan = attached(p, [[3], [4]], plain, 16);
  const outcome = run([query('q', plan)], { transaction: of, parameters: p.values });
  expect(await outcomeOf(outcome)).toThrow('no store');
  expect(of.openCursors).toBe(0);
});

test('what is read ahead is in the account of memory', async () => {
  const of = filled(
    Array.from({ length: 12 }, (_, i): Row => [i, 1 + (i % 6), i, `${'x'.repeat(80_000)}${i}`]),
  );
  const outer: Row[] = [[1], [2], [3], [4], [5], [6]];
  const shape: Shape = { ...plain, kind: 'exists' };
  const outcome = async (ahead: number) => {
    const p = new Parameters();
    const plan = attached(p, outer, shape, ahead);
    const limits = { memoryBytes: 500_000 };
    const setting = { transaction: of, parameters: p.values, limits };
    return (await run([query('q', plan)], setting)).result?.rows.length;
  };
  expect(await outcome(0)).toBe(6);
  expect(await outcomeOf(outcome(16))).toThrow('memory');
});
