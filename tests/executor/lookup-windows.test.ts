/** Lookup joins that read for a window of left rows and remember, against those that read for each left row alone. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Index } from '#catalog';
import type { RelationPlan } from '#planner';
import type { Row } from '#value';
import { MemoryTransaction } from './support/memory-transaction.ts';
import { col, compare, filter, interval, node, Parameters, reg, scan } from './support/plans.ts';
import { catalogOf, mutation, query, rowsBothWays, runNow, tableOf } from './support/run.ts';

const catalog = catalogOf({
  name: 't',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'k', type: 'int64', nullable: true },
    { name: 'v', type: 'int64' },
    { name: 'u', type: 'int64' },
  ],
  primary_key: ['id'],
  indexes: [
    { name: 'by_k', columns: ['k'] },
    { name: 'by_u', columns: ['u'], unique: true },
  ],
});
const table = tableOf(catalog, 't');
const [byK, byU] = table.indexes as [Index, Index];

/** Of key k there are k rows, and of one key more than fit into a batch. */
const manyKey = 50;
const rows: Row[] = [];
for (let k = 0; k < 30; k++) {
  for (let i = 0; i < k; i++) {
    const id = (rows.length * 7919) % 10_007;
    rows.push([id, k % 9 === 8 ? null : k, i, rows.length]);
  }
}
for (let i = 0; i < 2500; i++) rows.push([20_000 + i, manyKey, i, 1000 + i]);

const transaction = new MemoryTransaction();
{
  const p = new Parameters();
  const setting = { catalog, transaction, parameters: p.values };
  const input = p.rows(['int64', 'int64', 'int64', 'int64'], rows);
  runNow([mutation('create', catalog, ['t', 'id', 'k', 'v', 'u'], input)], setting);
}

interface Shape {
  readonly join: 'inner' | 'left';
  readonly way: 'key' | 'index' | 'unique';
  readonly isFiltered: boolean;
  readonly hasResidual: boolean;
}

/** Left rows: a key, and a number for the residual. `ahead`: rows of each key that are read at once, 0 for none. */
function joined(p: Parameters, left: readonly Row[], shape: Shape, ahead: number): RelationPlan {
  const outer = p.rows(['int64', 'int64'], left);
  const at = interval([reg(0, 'int64')]);
  const from = scan(table, {
    access:
      shape.way === 'key'
        ? { kind: 'primary', interval: at }
        : { kind: 'index', index: shape.way === 'index' ? byK : byU, interval: at },
  });
  const right = shape.isFiltered
    ? filter(from, compare('gt', col(2, 'int64'), p.lit('int64', 2)))
    : from;
  return {
    kind: 'lookup_join',
    join: shape.join,
    left: outer,
    right,
    registers: [{ register: 0, columnIndex: 0 }],
    ...(ahead > 0 && { ahead: { scan: from.id, rows: ahead, together: true } }),
    residual: shape.hasResidual ? compare('lt', col(1, 'int64'), col(4, 'int64')) : undefined,
    ...node([...outer.output, ...right.output]),
  };
}

const shapes = fc.record<Shape>({
  join: fc.constantFrom('inner', 'left'),
  way: fc.constantFrom('key', 'unique', 'index', 'index'),
  isFiltered: fc.boolean(),
  hasResidual: fc.boolean(),
});
const key = fc.oneof(fc.nat(40), fc.nat(40), fc.constantFrom(null, manyKey));
const lefts = fc.array(fc.tuple(key, fc.integer({ min: 0, max: 6 })), { maxLength: 80 });

/** The column that is looked up. */
const columnIndexOf = { key: 0, index: 1, unique: 3 };

/** By nested loops. */
function expected(left: readonly Row[], shape: Shape): readonly Row[] {
  return left.flatMap((outer) => {
    const [k, n] = outer as readonly [number | null, number];
    const found = rows
      .filter((row) => k !== null && row[columnIndexOf[shape.way]] === k)
      .filter((row) => !shape.isFiltered || (row[2] as number) > 2)
      .filter((row) => !shape.hasResidual || n < (row[2] as number))
      .sort((a, b) => (a[0] as number) - (b[0] as number));
    const padded: readonly Row[] =
      found.length === 0 && shape.join === 'left' ? [[null, null, null, null]] : found;
    return padded.map((row): Row => [...outer, ...row]);
  });
}

describe('the same pairs', () => {
  test.each([0, 1, 4, 16])('with %p rows of each key read at once', async (ahead) => {
    await fc.assert(
      fc.asyncProperty(lefts, shapes, async (left, shape) => {
        const p = new Parameters();
        const plan = joined(p, left, shape, shape.way === 'index' ? ahead : Math.min(1, ahead));
        const found = await rowsBothWays(plan, { transaction, parameters: p.values });
        expect(found).toEqual(expected(left, shape) as Row[]);
        expect(transaction.openCursors).toBe(0);
      }),
      { seed: 5, numRuns: 25 },
    );
  });
});

describe('rows of a key are read once', () => {
  const outer: Row[] = Array.from({ length: 3000 }, (_, i) => [i % 3 === 0 ? 5 : 7, 0]);
  const shape: Shape = { join: 'inner', way: 'index', isFiltered: false, hasResidual: false };

  test.each([0, 16])('with %p rows read at once', (ahead) => {
    const p = new Parameters();
    const plan = joined(p, outer, shape, ahead);
    const before = transaction.gets;
    const { result } = runNow([query('q', plan)], { transaction, parameters: p.values });
    expect(result?.rows.length).toBe(1000 * 5 + 2000 * 7);
    expect(transaction.gets - before).toBe(5 + 7);
  });
});
