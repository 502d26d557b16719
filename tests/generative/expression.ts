/** Random expressions of a wanted type over visible scopes, valid by construction but for a small share. */

import type { BinaryOperator, Expression, TextPart } from '#lir';
import type { ScalarType } from '#value';
import { callOf } from './call.ts';
import { crossingOf } from './crossing.ts';
import { lookupOf } from './lookup.ts';
import { columnsOf, type Draft, use, type VisibleScope } from './scope.ts';
import { literalOf, scalars, solidLiteral } from './values.ts';

export interface ExpressionPlace {
  readonly draft: Draft;
  /** The input's own scopes. */
  readonly scopes: readonly VisibleScope[];
  /** Scopes of enclosing rows. */
  readonly outer: readonly VisibleScope[];
  /** Crossings are forbidden in join conditions and branches. */
  readonly allowsCrossings: boolean;
  readonly depth: number;
}

const comparisons: readonly BinaryOperator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'];
const operations: readonly BinaryOperator[] = ['add', 'sub', 'mul', 'div'];

/** What stands in a filter: often a lookup by a key, index or other column, else anything. */
export function predicateOf(place: ExpressionPlace): Expression {
  const { choices } = place.draft;
  if (choices.oneIn(20)) return membershipOf(place);
  if (!choices.oneIn(3)) {
    const lookup = lookupOf(place);
    if (lookup !== undefined && choices.oneIn(3)) {
      const op = choices.pick(['and', 'or'] as const);
      return { kind: 'binary', op, left: lookup, right: expressionOf(place, 'bool') };
    }
    if (lookup !== undefined) return lookup;
  }
  return expressionOf(place, 'bool');
}

export function expressionOf(place: ExpressionPlace, type: ScalarType): Expression {
  const { choices } = place.draft;
  if (choices.oneIn(1000)) return leafOf(place, choices.pick(scalars));
  if (place.depth <= 0 || choices.isSpent) return leafOf(place, type);
  const inner = { ...place, depth: place.depth - 1 };
  switch (choices.below(8)) {
    case 0:
    case 1:
      return leafOf(place, type);
    case 2:
      return branchOf(inner, type);
    case 3:
      return place.allowsCrossings ? crossingOf(inner, type) : leafOf(place, type);
    default:
      return operatorOf(inner, type);
  }
}

export function leafOf({ draft, scopes, outer }: ExpressionPlace, type: ScalarType): Expression {
  const { choices } = draft;
  const own = columnsOf(scopes, type);
  const columns = own.length === 0 || choices.oneIn(4) ? [...own, ...columnsOf(outer, type)] : own;
  if (columns.length === 0 || choices.oneIn(4))
    return { kind: 'lit', value: literalOf(choices, type) };
  return use(choices.pick(columns));
}

/** Never NULL as far as types tell. */
export function solidOf(place: ExpressionPlace, type: ScalarType, format?: string): Expression {
  const { draft, scopes, outer } = place;
  const { choices } = draft;
  const columns = columnsOf([...scopes, ...outer], type).filter((column) => !column.nullable);
  const leaf = (): Expression =>
    columns.length === 0 || choices.oneIn(3)
      ? { kind: 'lit', value: solidLiteral(choices, type, format) }
      : use(choices.pick(columns));
  if (type === 'int64' && choices.oneIn(3)) {
    return { kind: 'binary', op: choices.pick(operations), left: leaf(), right: leaf() };
  }
  if (choices.oneIn(20)) {
    const inner = { ...place, allowsCrossings: false, depth: 0 };
    return { kind: 'call', fn: 'not_null', args: [expressionOf(inner, type)] };
  }
  if (!choices.oneIn(6)) return leaf();
  const when = expressionOf({ ...place, allowsCrossings: false, depth: 1 }, 'bool');
  return { kind: 'branch', branches: [{ when, then: leaf() }], else: leaf() };
}

function operatorOf(place: ExpressionPlace, type: ScalarType): Expression {
  const { choices } = place.draft;
  if (choices.oneIn(type === 'text' ? 2 : 5)) return callOf(place, type);
  switch (type) {
    case 'bool':
      return booleanOf(place);
    case 'int64':
      if (choices.oneIn(6))
        return { kind: 'cast', expr: expressionOf(place, 'float64'), to: 'int64' };
      return arithmeticOf(place, 'int64');
    case 'float64':
      if (choices.oneIn(4))
        return { kind: 'cast', expr: expressionOf(place, 'int64'), to: 'float64' };
      return arithmeticOf(place, 'float64');
    default:
      return choices.oneIn(8)
        ? { kind: 'cast', expr: expressionOf(place, type), to: type }
        : leafOf(place, type);
  }
}

function arithmeticOf(place: ExpressionPlace, type: 'int64' | 'float64'): Expression {
  const { choices } = place.draft;
  if (choices.oneIn(6)) return { kind: 'unary', op: 'negate', expr: expressionOf(place, type) };
  const isMixed = type === 'float64' && choices.oneIn(4);
  const left = expressionOf(place, isMixed ? 'int64' : type);
  const right = expressionOf(place, type);
  // Two literals keep their types; beside a column a literal takes the column's.
  const isAdopting = isMixed && right.kind === 'lit' && left.kind !== 'lit';
  const op = choices.pick(operations);
  if (isAdopting)
    return { kind: 'binary', op, left: { kind: 'cast', expr: left, to: type }, right };
  return { kind: 'binary', op, left, right };
}

function booleanOf(place: ExpressionPlace): Expression {
  const { choices } = place.draft;
  if (choices.oneIn(12)) return membershipOf(place);
  switch (choices.below(7)) {
    case 0:
    case 1: {
      const type = choices.pick(scalars);
      const [left, right] = [expressionOf(place, type), expressionOf(place, type)];
      return { kind: 'binary', op: choices.pick(comparisons), left, right };
    }
    case 2:
    case 3: {
      const op = choices.pick(['and', 'or'] as const);
      const [left, right] = [expressionOf(place, 'bool'), expressionOf(place, 'bool')];
      return { kind: 'binary', op, left, right };
    }
    case 4:
      return { kind: 'unary', op: 'not', expr: expressionOf(place, 'bool') };
    case 5: {
      const op = choices.pick(['is_null', 'is_not_null'] as const);
      return { kind: 'unary', op, expr: nullTested(place) };
    }
    default:
      return {
        kind: 'text_match',
        value: expressionOf(place, 'text'),
        parts: choices.many(1, 3, () => partOf(place.draft)),
        comparison: choices.pick(['exact', 'unicode_simple_fold'] as const),
      };
  }
}

/** One value tested against several literals, as an `or` of equalities or an `and` of their opposites, at times with something else between them. */
export function membershipOf(place: ExpressionPlace): Expression {
  const { choices } = place.draft;
  const type = choices.pick(scalars);
  const value = leafOf(place, type);
  const isAny = !choices.oneIn(3);
  const tests = choices.many(isAny ? 2 : 7, 10, (): Expression => {
    if (choices.oneIn(20)) return expressionOf({ ...place, depth: 0 }, 'bool');
    const literal: Expression = { kind: 'lit', value: literalOf(choices, type) };
    const [left, right] = choices.oneIn(4) ? [literal, value] : [value, literal];
    return { kind: 'binary', op: isAny ? 'eq' : 'ne', left, right };
  });
  const op = isAny ? 'or' : 'and';
  return tests.reduce((left, right) => ({ kind: 'binary', op, left, right }));
}

function nullTested(place: ExpressionPlace): Expression {
  const { choices } = place.draft;
  const rows = columnsOf([...place.scopes, ...place.outer], 'row');
  if (rows.length > 0 && choices.oneIn(2)) return use(choices.pick(rows));
  return expressionOf(place, choices.pick(scalars));
}

export function partOf({ choices }: Draft): TextPart {
  const pieces = ['a', 'b', 'A', 'k', 'ß', 's', '\u{1f600}', 'ab', '\u0000', 'é'];
  return choices.oneIn(2) ? { kind: 'literal', value: choices.pick(pieces) } : { kind: 'any_many' };
}

function branchOf(place: ExpressionPlace, type: ScalarType): Expression {
  const plain = { ...place, allowsCrossings: false };
  if (place.draft.choices.oneIn(3)) {
    const rest = place.draft.choices.many(1, 2, () => expressionOf(plain, type));
    return { kind: 'coalesce', args: [expressionOf(place, type), ...rest] };
  }
  return {
    kind: 'branch',
    branches: place.draft.choices.many(1, 2, () => ({
      when: expressionOf(plain, 'bool'),
      then: expressionOf(plain, type),
    })),
    else: expressionOf(plain, type),
  };
}
