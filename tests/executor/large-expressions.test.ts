/** Expressions of thousands of terms are evaluated for few rows in one go, wherever they stand, and what evaluates them is in account. */

import { describe, expect, test } from 'bun:test';
import type { LookupJoinPlan, PlanExpression, RelationPlan } from '#planner';
import type { Datum, Row } from '#value';
import { Residual } from '../../src/executor/operators/apply/residual.ts';
import {
  aggregate,
  arith,
  col,
  compare,
  filter,
  fold,
  hashJoin,
  logical,
  loopJoin,
  node,
  Parameters,
  project,
  sort,
} from './support/plans.ts';
import { failureOf, query, rowsOf, run, runNow, testWorld } from './support/run.ts';

const rowCount = 1000;
/** Of three parts each: a thousand rows are some fifty portions. */
const termCount = 4000;

interface Large {
  readonly rows: RelationPlan;
  /** Never true. */
  readonly predicate: PlanExpression;
  /** The number of the row, at length. */
  readonly value: PlanExpression;
}

function large(p: Parameters, terms = termCount): Large {
  const rows = p.rows(
    ['int64'],
    Array.from({ length: rowCount }, (_, i): Row => [i]),
  );
  const number = col(0, 'int64');
  const none = p.lit('int64', -1);
  const parts = Array.from({ length: terms }, () => compare('eq', number, none));
  const predicate = logical('or', ...parts);
  const arms = parts.map((when) => ({ when, then: none }));
  const value: PlanExpression = { kind: 'branch', arms, otherwise: number, type: number.type };
  return { rows, predicate, value };
}

/** One number, to be joined with the others. */
const one = (p: Parameters) => p.rows(['int64'], [[1]]);

const places: Readonly<Record<string, (of: Large, p: Parameters) => RelationPlan>> = {
  'a predicate': ({ rows, predicate }) => filter(rows, predicate),
  'a projection': ({ rows, value }) => project(rows, value),
  'the term of an order': ({ rows, value }) => ({
    kind: 'sort',
    input: rows,
    terms: [{ expression: value, type: 'int64', descending: false }],
    limit: undefined,
    ...node(rows.output),
  }),
  'the key of a group': ({ rows, value }) => aggregate(rows, [value], []),
  'the argument of an aggregate': ({ rows, value }) => aggregate(rows, [], [fold('sum', value)]),
  'the left key of a join': ({ rows, value }, p) =>
    hashJoin('inner', rows, one(p), { keys: [[value, col(0, 'int64')]] }),
  'the right key of a join': ({ rows, value }, p) =>
    hashJoin('left', one(p), rows, { keys: [[col(0, 'int64'), value]] }),
  'the residual of a hash join': ({ rows, predicate }, p) => {
    const same = p.lit('int64', 1);
    return hashJoin('inner', rows, one(p), { keys: [[same, same]], residual: predicate });
  },
  'the condition of a loop join': ({ rows, predicate }, p) =>
    loopJoin('inner', one(p), rows, predicate),
  'the residual of a lookup join': ({ rows, predicate }, p) => ({
    kind: 'lookup_join',
    join: 'inner',
    left: one(p),
    right: rows,
    registers: [],
    residual: predicate,
    ...node([...rows.output, ...rows.output]),
  }),
  'the residual of a lookup join with few rows at a time': ({ rows, predicate }, p) => ({
    kind: 'lookup_join',
    join: 'inner',
    left: rows,
    right: one(p),
    registers: [],
    residual: predicate,
    ...node([...rows.output, ...rows.output]),
  }),
  'the key of a spool': ({ rows, value }, p) => ({
    kind: 'spool',
    input: rows,
    keys: [value],
    probe: [p.lit('int64', 1)],
    ...node(rows.output),
  }),
};

describe('few rows in one go', () => {
  for (const [place, planOf] of Object.entries(places)) {
    test(place, async () => {
      const p = new Parameters();
      const world = testWorld(2);
      await run([query('q', planOf(large(p), p))], { world, parameters: p.values });
      // Each portion is nearly a look, and every other look gives way.
      expect(world.yields).toBeGreaterThanOrEqual(12);
    });
  }
});

test('what they give stays as it is', () => {
  const p = new Parameters();
  const { rows, predicate, value } = large(p);
  const even = compare('eq', col(0, 'int64'), p.lit('int64', 600));
  const plan = project(filter(rows, logical('or', predicate, even)), value);
  expect(rowsOf(plan, { parameters: p.values })).toEqual([[600]]);
  const sum = aggregate(rows, [], [fold('sum', arith('add', value, value))]);
  expect(rowsOf(sum, { parameters: p.values })).toEqual([[rowCount * (rowCount - 1)]]);
});

test('what evaluates their terms is in account', () => {
  const p = new Parameters();
  const { rows, predicate } = large(p, 20_000);
  const program = [query('q', filter(rows, predicate))];
  const limits = { memoryBytes: 16 << 20 };
  expect(failureOf(() => runNow(program, { parameters: p.values, limits }))).toStartWith(
    'memory_limit',
  );
});

describe('rows of thousands of columns leave few at a time', () => {
  const width = 4000;
  const number = col(0, 'int64');

  async function leaving(planOf: (rows: RelationPlan) => RelationPlan) {
    const p = new Parameters();
    const world = testWorld(2);
    const plan = planOf(large(p, 1).rows);
    const { statements } = await run([query('q', plan)], { world, parameters: p.values });
    const [{ operators }] = statements as unknown as [{ operators: readonly { calls: number }[] }];
    return { yields: world.yields, calls: operators.at(-1)?.calls ?? 0 };
  }

  test('groups, which are finished a few at a time as well', async () => {
    const folds = Array.from({ length: width }, () => fold('max', number));
    const { calls, yields } = await leaving((rows) => aggregate(rows, [number], folds));
    expect(calls).toBeGreaterThanOrEqual(16);
    // Read, finished and handed on in sixteen parts each, of which every other gives way.
    expect(yields).toBeGreaterThanOrEqual(20);
  });

  test('sorted rows', async () => {
    const columns = Array.from({ length: width }, () => number);
    const { calls } = await leaving((rows) => sort(project(rows, ...columns), [[0]]));
    expect(calls).toBeGreaterThanOrEqual(16);
  });
});

describe('the work of a residual is that of as many rows', () => {
  const p = new Parameters();
  const residualOf = (residual: PlanExpression, right: RelationPlan) => {
    const plan = { kind: 'lookup_join', right } as LookupJoinPlan;
    return new Residual(residual, plan, {
      parameters: p.values,
      registers: [],
      ahead: undefined,
      hold: undefined,
    });
  };
  const rows = (count: number, text: string): readonly Datum[][] => [Array(count).fill(text)];

  test('a kibibyte of the texts that it reads is a row, and a mebibyte ends the portion', () => {
    const right = p.rows(['text'], []);
    const residual = residualOf(compare('eq', col(0, 'text'), col(0, 'text')), right);
    const short = { columns: rows(100, 'x'.repeat(512)), from: 10, to: 100 };
    expect(residual.portion(short)).toEqual({ to: 100, work: 45 });
    const long = { columns: rows(100, 'x'.repeat(100 << 10)), from: 10, to: 100 };
    expect(residual.portion(long)).toEqual({ to: 21, work: 1100 });
  });

  test('so many terms are a batch of rows, and few terms over numbers are none', () => {
    const right = p.rows(['int64'], []);
    const span = { columns: rows(1000, ''), from: 0, to: 1000 };
    const few = residualOf(compare('eq', col(0, 'int64'), col(0, 'int64')), right);
    expect(few.portion(span)).toEqual({ to: 1000, work: 0 });
    const { to, work } = residualOf(large(p).predicate, right).portion(span);
    // Portions of 12,000 terms are of about 22 rows, and each takes as long as 1,024 rows.
    expect(to).toBeGreaterThan(10);
    expect(to).toBeLessThan(40);
    expect(work).toBeGreaterThanOrEqual(1024);
    expect(work).toBeLessThan(1200);
  });
});
