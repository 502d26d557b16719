/** Filters of one table: as an expression, and as a test of a row. */

import type { Scalar } from '#value';
import type { Draw } from './choices.ts';
import { type ColumnName, columnTypes, type LargeRow, type LargeTable, textOf } from './data.ts';
import { compare, identityOf } from './reference.ts';

export interface Predicate {
  readonly expr: object;
  readonly test: (row: LargeRow) => boolean;
}

export function col(scope: string, column: string): object {
  return { kind: 'col', scope, column };
}

export function lit(column: ColumnName, value: Scalar): object {
  return { kind: 'lit', value: { type: columnTypes[column], value: textOf(value) } };
}

export function binary(op: string, left: object, right: object): object {
  return { kind: 'binary', op, left, right };
}

/** Balanced, so that many terms are no deep expression. */
export function all(op: 'and' | 'or', terms: readonly object[]): object {
  if (terms.length === 1) return terms[0] as object;
  const middle = terms.length >> 1;
  return binary(op, all(op, terms.slice(0, middle)), all(op, terms.slice(middle)));
}

export function predicateOf(draw: Draw, table: LargeTable, scope: string): Predicate {
  if (draw.oneIn(4)) {
    const parts = [simple(draw, table, scope), simple(draw, table, scope)];
    const op = draw.pick(['and', 'or'] as const);
    const exprs = parts.map(({ expr }) => expr);
    const some = (row: LargeRow) => parts.some(({ test }) => test(row));
    const every = (row: LargeRow) => parts.every(({ test }) => test(row));
    return { expr: all(op, exprs), test: op === 'and' ? every : some };
  }
  return simple(draw, table, scope);
}

function simple(draw: Draw, table: LargeTable, scope: string): Predicate {
  const shape = draw.pick([
    range,
    range,
    range,
    atLeast,
    listed,
    listed,
    isNull,
    without,
    matching,
  ]);
  return shape(draw, table, scope);
}

/** A value of a row; not NULL. */
function someValue(draw: Draw, { rows }: LargeTable, column: ColumnName): Scalar {
  for (let turn = 0; turn < 20; turn++) {
    const value = rows.length === 0 ? null : draw.pick(rows)[column];
    if (value !== null) return value;
  }
  return columnTypes[column] === 'text' ? 'a' : 1;
}

const columns = ['id', 's', 'k', 'w', 'f', 't'] as const;

function range(draw: Draw, table: LargeTable, scope: string): Predicate {
  const column = draw.pick(columns);
  const ends = [someValue(draw, table, column), someValue(draw, table, column)].sort(compare);
  const [from, to] = ends as [Scalar, Scalar];
  const [lower, upper] = [draw.pick(['gt', 'gte']), draw.pick(['lt', 'lte'])];
  const c = col(scope, column);
  return {
    expr: binary('and', binary(lower, c, lit(column, from)), binary(upper, c, lit(column, to))),
    test: ({ [column]: value }) =>
      value !== null &&
      compare(value, from) >= Number(lower === 'gt') &&
      compare(value, to) <= -Number(upper === 'lt'),
  };
}

function atLeast(draw: Draw, table: LargeTable, scope: string): Predicate {
  const column = draw.pick(columns);
  const bound = someValue(draw, table, column);
  const isUpper = draw.oneIn(2);
  return {
    expr: binary(isUpper ? 'lte' : 'gte', col(scope, column), lit(column, bound)),
    test: ({ [column]: value }) =>
      value !== null && (isUpper ? compare(value, bound) <= 0 : compare(value, bound) >= 0),
  };
}

/** An `or` of one or many. */
function listed(draw: Draw, table: LargeTable, scope: string): Predicate {
  const column = draw.pick(columns);
  const values = Array.from({ length: draw.pick([1, 2, 30, 1_500]) }, () =>
    someValue(draw, table, column),
  );
  const wanted = new Set(values.map(identityOf));
  return {
    expr: all(
      'or',
      values.map((value) => binary('eq', col(scope, column), lit(column, value))),
    ),
    test: ({ [column]: value }) => value !== null && wanted.has(identityOf(value)),
  };
}

function isNull(draw: Draw, _: LargeTable, scope: string): Predicate {
  const column = draw.pick(['k', 'w', 'f', 't'] as const);
  const isNegated = draw.oneIn(2);
  return {
    expr: { kind: 'unary', op: isNegated ? 'is_not_null' : 'is_null', expr: col(scope, column) },
    test: (row) => (row[column] === null) !== isNegated,
  };
}

function without(draw: Draw, table: LargeTable, scope: string): Predicate {
  const column = draw.pick(columns);
  const other = someValue(draw, table, column);
  return {
    expr: binary('ne', col(scope, column), lit(column, other)),
    test: ({ [column]: value }) => value !== null && compare(value, other) !== 0,
  };
}

function matching(draw: Draw, table: LargeTable, scope: string): Predicate {
  const whole = [...(someValue(draw, table, 't') as string)];
  const from = draw.oneIn(2) ? 0 : draw.below(whole.length + 1);
  const part = whole.slice(from, from + 1 + draw.below(whole.length + 1)).join('');
  const isStart = draw.oneIn(2);
  const any = { kind: 'any_many' };
  const literal = part === '' ? [] : [{ kind: 'literal', value: part }];
  return {
    expr: {
      kind: 'text_match',
      value: col(scope, 't'),
      parts: isStart ? [...literal, any] : [any, ...literal, any],
    },
    test: ({ t }) => t !== null && (isStart ? `${t}`.startsWith(part) : `${t}`.includes(part)),
  };
}
