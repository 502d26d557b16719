/** Calls of functions over batches. */

import { expect, test } from 'bun:test';
import type { PlanExpression } from '#planner';
import type { Datum, FunctionName, Row, ScalarType } from '#value';
import { col, filter, Parameters, project, scalar } from './support/plans.ts';
import { failureOf, rowsOf } from './support/run.ts';

const call = (
  fn: FunctionName,
  operands: PlanExpression[],
  result: ScalarType,
): PlanExpression => ({
  kind: 'call',
  fn,
  overload: 0,
  operands,
  type: scalar(result),
});

function values(types: ScalarType[], rows: Row[], expression: PlanExpression): Datum[] {
  const p = new Parameters();
  const root = project(p.rows(types, rows), expression);
  return rowsOf(root, { parameters: p.values }).map(([value]) => value as Datum);
}

test('NULL stays NULL', () => {
  const upper = call('upper', [col(0, 'text')], 'text');
  expect(values(['text'], [['a'], [null], ['ß']], upper)).toEqual(['A', null, 'ß']);
});

test('not_null raises a constraint violation for NULL', () => {
  const kept = call('not_null', [col(0, 'text')], 'text');
  expect(values(['text'], [['a'], ['']], kept)).toEqual(['a', '']);
  expect(failureOf(() => values(['text'], [['a'], [null]], kept))).toContain(
    'constraint_violation',
  );
});

test('not_null is computed only for rows that need it', () => {
  const p = new Parameters();
  const isKnown: PlanExpression = {
    kind: 'unary',
    op: 'is_not_null',
    operand: col(0, 'text'),
    type: scalar('bool'),
  };
  const kept = filter(p.rows(['text'], [['a'], [null]]), isKnown);
  const root = project(kept, call('not_null', [col(0, 'text')], 'text'));
  expect(rowsOf(root, { parameters: p.values })).toEqual([['a']]);
});

test('long texts count as memory of the program', () => {
  const p = new Parameters();
  const input = p.rows(
    ['int64'],
    Array.from({ length: 200 }, () => [2 ** 20]),
  );
  const long = call('repeat', [p.lit('text', 'ab'), col(0, 'int64')], 'text');
  const run = () =>
    rowsOf(project(input, long), { parameters: p.values, limits: { memoryBytes: 2 ** 26 } });
  expect(failureOf(run)).toContain('memory_limit');
});
