/** Random expressions of a wanted type over visible scopes, valid by construction but for a small share. */

import type { BinaryOperator, Expression, TextPart } from '#lir';
import type { ScalarType } from '#value';
import { crossingOf } from './relation.ts';
import type { Draft, VisibleScope } from './scope.ts';
import { literalOf } from './values.ts';

export interface ExpressionPlace {
  readonly draft: Draft;
  readonly scopes: readonly VisibleScope[];
  /** Crossings are forbidden in join conditions and branches. */
  readonly allowsCrossings: boolean;
  readonly depth: number;
}

const scalars: readonly ScalarType[] = ['int64', 'text', 'float64', 'bool', 'bytes'];
const comparisons: readonly BinaryOperator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'];
const operations: readonly BinaryOperator[] = ['add', 'sub', 'mul', 'div'];

export function predicateOf(place: ExpressionPlace): Expression {
  return expressionOf(place, 'bool');
}

export function expressionOf(place: ExpressionPlace, type: ScalarType): Expression {
  const { choices } = place.draft;
  // A small share of invalid programs: another type than the one that is wanted.
  if (choices.oneIn(150)) return leafOf(place, choices.pick(scalars));
  if (place.depth <= 0 || choices.isSpent) return leafOf(place, type);
  const inner = { ...place, depth: place.depth - 1 };
  switch (choices.below(8)) {
    case 0:
    case 1:
      return leafOf(place, type);
    case 2:
      return branchOf(inner, type);
    case 3:
      if (place.allowsCrossings) return crossingOf(inner, type);
      return leafOf(place, type);
    default:
      return operatorOf(inner, type);
  }
}

export function leafOf(place: ExpressionPlace, type: ScalarType): Expression {
  const { choices } = place.draft;
  const columns = place.scopes.flatMap((scope) =>
    scope.columns
      .filter((column) => column.type === type)
      .map((column) => ({ scope: scope.label, column: column.name })),
  );
  if (choices.oneIn(300)) return { kind: 'col', scope: 'nowhere', column: 'nothing' };
  if (columns.length === 0 || choices.oneIn(4))
    return { kind: 'lit', value: literalOf(choices, type) };
  return { kind: 'col', ...choices.pick(columns) };
}

function operatorOf(place: ExpressionPlace, type: ScalarType): Expression {
  const { choices } = place.draft;
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
  if (choices.oneIn(6)) return { kind: 'unary', op: 'negate', expr: columnOr(place, type) };
  const isMixed = type === 'float64' && choices.oneIn(4);
  return {
    kind: 'binary',
    op: choices.pick(operations),
    left: columnOr(place, isMixed ? 'int64' : type),
    right: columnOr(place, type),
  };
}

/** Not a bare literal on both sides, whose types would not be adopted. */
function columnOr(place: ExpressionPlace, type: ScalarType): Expression {
  return expressionOf(place, type);
}

function booleanOf(place: ExpressionPlace): Expression {
  const { choices } = place.draft;
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
      return { kind: 'binary', op, left: predicateOf(place), right: predicateOf(place) };
    }
    case 4:
      return { kind: 'unary', op: 'not', expr: predicateOf(place) };
    case 5: {
      const op = choices.pick(['is_null', 'is_not_null'] as const);
      return { kind: 'unary', op, expr: expressionOf(place, choices.pick(scalars)) };
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

function partOf({ choices }: Draft): TextPart {
  const pieces = ['a', 'A', 'k', 'ß', '\u{1f600}', 'ab'];
  return choices.oneIn(2) ? { kind: 'literal', value: choices.pick(pieces) } : { kind: 'any_many' };
}

function branchOf(place: ExpressionPlace, type: ScalarType): Expression {
  const plain = { ...place, allowsCrossings: place.draft.choices.oneIn(100) };
  return {
    kind: 'branch',
    branches: place.draft.choices.many(1, 2, () => ({
      when: predicateOf(plain),
      then: expressionOf(plain, type),
    })),
    else: expressionOf(plain, type),
  };
}
