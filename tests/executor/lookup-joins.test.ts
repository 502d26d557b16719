/** Lookup joins: more pairs than a batch holds, and rows without a pair where a batch is full. */

import { expect, test } from 'bun:test';
import type { RelationPlan } from '#planner';
import type { Row } from '#value';
import { aggregate, col, compare, fold, node, Parameters, reg } from './support/plans.ts';
import { rowsOf } from './support/run.ts';

/** Pairs by key; a batch has 1,024 rows, which pairs that the residual rejects may fill. */
const counts = [1024, 700, 1024, 0, 700, 1024, 1, 2048, 3];
const left: Row[] = counts.map((count, key) => [key, count === 1024 ? 1 : 0]);
const right: Row[] = counts.flatMap((count, key) =>
  Array.from({ length: count }, (_, i) => [key, 0, 10_000 * key + i]),
);

/** `isPicky`: the residual rejects all pairs of keys that have 1,024 of them. */
function joined(p: Parameters, join: 'inner' | 'left', isPicky: boolean): RelationPlan {
  const from = p.rows(['int64', 'int64'], left);
  const of = p.rows(['int64', 'int64', 'int64'], right);
  const spool: RelationPlan = {
    kind: 'spool',
    input: of,
    keys: [col(0, 'int64')],
    probe: [reg(0, 'int64')],
    ...node(of.output),
  };
  return {
    kind: 'lookup_join',
    join,
    left: from,
    right: spool,
    registers: [{ register: 0, columnIndex: 0 }],
    residual: isPicky ? compare('lte', col(1, 'int64'), col(3, 'int64')) : undefined,
    ...node([...from.output, ...of.output]),
  };
}

const sorted = (rows: readonly Row[]) => rows.toSorted((a, b) => Number(a[0]) - Number(b[0]));

test.each([
  ['inner', false],
  ['left', false],
  ['inner', true],
  ['left', true],
] as const)('%s join, with a residual: %p', (join, isPicky) => {
  const p = new Parameters();
  const value = col(4, 'int64');
  const folds = [fold('count'), fold('count', value), fold('sum', value)];
  // Groups read the joined rows through arrays of a batch's length.
  const plan = aggregate(joined(p, join, isPicky), [col(0, 'int64')], folds);
  const expected = counts.flatMap((count, key): Row[] => {
    const pairs = isPicky && count === 1024 ? 0 : count;
    if (pairs > 0) return [[key, pairs, pairs, pairs * 10_000 * key + (pairs * (pairs - 1)) / 2]];
    return join === 'left' ? [[key, 1, 0, null]] : [];
  });
  expect(sorted(rowsOf(plan, { parameters: p.values }))).toEqual(expected);
});
