/** Expressions over batches. */

import { describe, expect, test } from 'bun:test';
import type { PlanExpression } from '#planner';
import { ByteString, type Datum, type Row, type Scalar, type ScalarType } from '#value';
import {
  arith,
  col,
  compare,
  filter,
  logical,
  Parameters,
  project,
  scalar,
} from './support/plans.ts';
import { failureOf, rowsOf } from './support/run.ts';

type Build = (p: Parameters) => PlanExpression;

/** The values of an expression over rows of these types. */
function values(types: ScalarType[], rows: Row[], build: Build): Datum[] {
  const p = new Parameters();
  const root = project(p.rows(types, rows), build(p));
  return rowsOf(root, { parameters: p.values }).map(([value]) => value as Datum);
}

/** The first column of the rows that pass. */
function passing(types: ScalarType[], rows: Row[], build: Build): Datum[] {
  const p = new Parameters();
  const root = filter(p.rows(types, rows), build(p));
  return rowsOf(root, { parameters: p.values }).map(([value]) => value as Datum);
}

describe('comparison', () => {
  const rows = [[1], [null], [3], [2]];

  test.each([
    ['eq', [2]],
    ['ne', [1, 3]],
    ['lt', [1]],
    ['lte', [1, 2]],
    ['gt', [3]],
    ['gte', [3, 2]],
  ] as const)('%s against a constant keeps %p, and never NULL', (op, kept) => {
    const types: ScalarType[] = ['int64'];
    expect(passing(types, rows, (p) => compare(op, col(0, 'int64'), p.lit('int64', 2)))).toEqual([
      ...kept,
    ]);
    const mirrored = { eq: 'eq', ne: 'ne', lt: 'gt', lte: 'gte', gt: 'lt', gte: 'lte' } as const;
    expect(
      passing(types, rows, (p) => compare(mirrored[op], p.lit('int64', 2), col(0, 'int64'))),
    ).toEqual([...kept]);
    const asValues = values(types, rows, (p) => compare(op, col(0, 'int64'), p.lit('int64', 2)));
    expect(asValues[1]).toBeNull();
    expect(rows.filter((_, i) => asValues[i] === true).map(([v]) => v as Datum)).toEqual([...kept]);
  });

  test('a NULL constant is UNKNOWN for every row', () => {
    expect(
      passing(['int64'], rows, (p) => compare('ne', col(0, 'int64'), p.lit('int64', null))),
    ).toEqual([]);
  });

  test('numbers and bigints compare exactly', () => {
    const big = [[2n ** 62n], [9007199254740991], [-(2n ** 60n)]];
    expect(
      passing(['int64'], big, (p) =>
        compare('gt', col(0, 'int64'), p.lit('int64', 9007199254740991)),
      ),
    ).toEqual([2n ** 62n]);
  });

  test('text compares by code point', () => {
    const texts = [['\u{1F600}'], ['\uFF5E'], ['a']];
    expect(
      passing(['text'], texts, (p) => compare('gt', col(0, 'text'), p.lit('text', '\uFF5E'))),
    ).toEqual(['\u{1F600}']);
  });

  const neighbours: readonly (readonly [ScalarType, Scalar, Scalar])[] = [
    ['text', 'a', 'b'],
    ['text', 'a', 'a\0'],
    ['bool', false, true],
    ['int64', 1, 2],
    ['float64', 1, 1.0000000000000002],
    ['bytes', new ByteString(Uint8Array.of(1)), new ByteString(Uint8Array.of(2))],
  ];

  test.each(neighbours)('%s: %p is just below %p', (type, low, high) => {
    const holds = (op: 'lt' | 'lte' | 'gt' | 'gte' | 'eq' | 'ne', left: Scalar, right: Scalar) =>
      values([type, type], [[left, right]], () => compare(op, col(0, type), col(1, type)))[0];
    const signs = ['lt', 'lte', 'eq', 'gte', 'gt', 'ne'] as const;
    const of = (left: Scalar, right: Scalar) => signs.map((op) => holds(op, left, right));
    expect(of(low, high)).toEqual([true, true, false, false, false, true]);
    expect(of(high, low)).toEqual([false, false, false, true, true, true]);
    expect(of(low, low)).toEqual([false, true, true, true, false, false]);
  });

  test('minus zero equals zero', () => {
    expect(
      passing(['float64'], [[-0]], (p) => compare('eq', col(0, 'float64'), p.lit('float64', 0))),
    ).toEqual([-0]);
  });
});

describe('logic', () => {
  const truth = [true, false, null];
  const pairs: Row[] = truth.flatMap((a) => truth.map((b) => [a, b]));
  const and = (a: Datum, b: Datum) =>
    a === false || b === false ? false : a === null || b === null ? null : true;

  test('and, or over three truth values', () => {
    const types: ScalarType[] = ['bool', 'bool'];
    const both = [col(0, 'bool'), col(1, 'bool')];
    expect(values(types, pairs, () => logical('and', ...both))).toEqual(
      pairs.map(([a, b]) => and(a as Datum, b as Datum)),
    );
    const not = (v: Datum) => (v === null ? null : !v);
    expect(values(types, pairs, () => logical('or', ...both))).toEqual(
      pairs.map(([a, b]) => not(and(not(a as Datum), not(b as Datum)))),
    );
  });

  /** Fails for every row that it is evaluated for. */
  const failing = (p: Parameters) =>
    compare('eq', arith('div', col(0, 'int64'), p.lit('int64', 0)), p.lit('int64', 1));

  test('FALSE protects what follows an and, UNKNOWN does not', () => {
    const guard = (p: Parameters) => compare('gt', col(0, 'int64'), p.lit('int64', 5));
    const build: Build = (p) => logical('and', guard(p), failing(p));
    expect(passing(['int64'], [[1], [2]], build)).toEqual([]);
    expect(failureOf(() => passing(['int64'], [[1], [6]], build))).toContain('division by zero');
    const unknown: Build = (p) =>
      logical('and', compare('eq', col(1, 'int64'), p.lit('int64', 1)), failing(p));
    expect(failureOf(() => passing(['int64', 'int64'], [[1, null]], unknown))).toContain(
      'division_by_zero',
    );
  });

  test('TRUE protects what follows an or', () => {
    const build: Build = (p) =>
      logical('or', compare('lt', col(0, 'int64'), p.lit('int64', 5)), failing(p));
    expect(passing(['int64'], [[1], [2]], build)).toEqual([1, 2]);
    expect(failureOf(() => passing(['int64'], [[1], [6]], build))).toContain('division by zero');
  });

  test('a coalesce evaluates what is needed of each row', () => {
    const build: Build = (p) => ({
      kind: 'coalesce',
      operands: [
        col(0, 'int64'),
        col(1, 'int64'),
        arith('div', p.lit('int64', 100), arith('sub', col(2, 'int64'), p.lit('int64', 5))),
      ],
      type: scalar('int64'),
    });
    const rows = [
      [1, null, 5],
      [null, 2, 5],
      [null, null, 7],
      [null, null, null],
    ];
    expect(values(['int64', 'int64', 'int64'], rows, build)).toEqual([1, 2, 50, null]);
  });

  test('only the selected arm of a branch is evaluated', () => {
    const build: Build = (p) => ({
      kind: 'branch',
      arms: [
        { when: compare('lt', col(0, 'int64'), p.lit('int64', 5)), then: p.lit('int64', -1) },
        { when: compare('eq', col(0, 'int64'), p.lit('int64', 5)), then: col(0, 'int64') },
      ],
      otherwise: arith(
        'div',
        p.lit('int64', 100),
        arith('sub', col(0, 'int64'), p.lit('int64', 5)),
      ),
      type: scalar('int64'),
    });
    expect(values(['int64'], [[1], [5], [7], [null]], build)).toEqual([-1, 5, 50, null]);
  });
});

describe('arithmetic', () => {
  const max = 2n ** 63n - 1n;

  test.each([
    ['add', 1, 2, 3],
    ['add', 9007199254740991, 1, 2n ** 53n],
    ['sub', -(2n ** 62n), 1, -(2n ** 62n) - 1n],
    ['mul', 0, -5, 0],
    ['mul', 3037000500, 3037000499, 3037000500n * 3037000499n],
    ['div', -7, 2, -3],
    ['div', null, 0, null],
  ] as const)('%s(%p, %p) = %p', (op, a, b, result) => {
    const found = values(['int64', 'int64'], [[a, b]], () =>
      arith(op, col(0, 'int64'), col(1, 'int64')),
    );
    expect(Object.is(found[0], result)).toBe(true);
  });

  test('overflow and division by zero name their operator', () => {
    const overflow = failureOf(() =>
      values(['int64', 'int64'], [[max, 1]], () => arith('add', col(0, 'int64'), col(1, 'int64'))),
    );
    expect(overflow).toStartWith('numeric_overflow: statement "q"');
    expect(overflow).toContain('overflow');
    expect(
      failureOf(() =>
        values(['float64', 'float64'], [[1e308, 10]], () =>
          arith('mul', col(0, 'float64'), col(1, 'float64')),
        ),
      ),
    ).toContain('float overflow');
  });

  test('both operands are evaluated before NULL is looked at', () => {
    const build: Build = (p) =>
      compare('eq', p.lit('int64', null), arith('div', p.lit('int64', 1), p.lit('int64', 0)));
    expect(failureOf(() => values(['int64'], [[1]], build))).toContain('division by zero');
  });

  test('an expression a thousand levels deep', () => {
    const build: Build = (p) => {
      let sum = col(0, 'int64');
      for (let i = 0; i < 1000; i++) sum = arith('add', sum, p.lit('int64', 1));
      return sum;
    };
    expect(values(['int64'], [[1], [null]], build)).toEqual([1001, null]);
  });
});

test('casts, tests and matches keep NULL', () => {
  const cast: Build = () => ({
    kind: 'cast',
    operand: col(0, 'float64'),
    to: 'int64',
    type: scalar('int64'),
  });
  expect(values(['float64'], [[-2.9], [null], [1e15]], cast)).toEqual([-2, null, 1e15]);
  expect(failureOf(() => values(['float64'], [[1e19]], cast))).toContain('out of range');
  const isNull: Build = () => ({
    kind: 'unary',
    op: 'is_null',
    operand: col(0, 'text'),
    type: scalar('bool'),
  });
  expect(values(['text'], [['a'], [null]], isNull)).toEqual([false, true]);
  const match: Build = () => ({
    kind: 'text_match',
    value: col(0, 'text'),
    parts: [{ kind: 'literal', value: 'go' }, { kind: 'any_many' }],
    comparison: 'unicode_simple_fold',
    type: scalar('bool'),
  });
  expect(values(['text'], [['Gopher'], [null], ['ago']], match)).toEqual([true, null, false]);
});
