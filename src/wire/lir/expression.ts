/** Definitions of LIR expressions (docs/lir.md §6). */

import { Type } from '@sinclair/typebox';
import type { BranchArm, Expression, Literal, TextPart } from '#lir';
import { functionNames, type ScalarType } from '#value';
import { closed, list, name, oneOf, optional, ref, tag, variants } from '../schema/shapes.ts';

const expression = (description: string) => ref<Expression>('Expression', description);

const innerNode = name('The root node of the inner relation, which may use the enclosing scopes.');

const crossing = <const K extends string>(kind: K, description: string) =>
  closed(description, { kind: tag(kind), node: innerNode });

export const expressionDefinitions = {
  Expression: variants<Expression>('Computes one value for each row.', [
    'LiteralExpression',
    'ColumnExpression',
    'UnaryExpression',
    'BinaryExpression',
    'CastExpression',
    'BranchExpression',
    'CoalesceExpression',
    'CallExpression',
    'TextMatchExpression',
    'ExistsCrossing',
    'FirstCrossing',
    'ScalarCrossing',
    'ArrayCrossing',
  ]),
  LiteralExpression: closed('A constant.', {
    kind: tag('lit'),
    value: ref<Literal>('Literal'),
  }),
  ColumnExpression: closed('The value of a column of a visible scope.', {
    kind: tag('col'),
    scope: name('The label of the scope.'),
    column: name('The name of the column within the scope.'),
  }),
  UnaryExpression: closed('An operator with one operand.', {
    kind: tag('unary'),
    op: oneOf(
      '`not` of a boolean, `negate` of a number; `is_null` and `is_not_null` never yield NULL.',
      ['not', 'negate', 'is_null', 'is_not_null'],
    ),
    expr: expression('The operand.'),
  }),
  BinaryExpression: closed(
    'An operator with two operands. Comparisons and arithmetic yield NULL if an operand is NULL; `and` and `or` follow three-valued logic and short-circuit.',
    {
      kind: tag('binary'),
      op: oneOf('Comparison, logic or arithmetic.', [
        'eq',
        'ne',
        'lt',
        'lte',
        'gt',
        'gte',
        'and',
        'or',
        'add',
        'sub',
        'mul',
        'div',
      ]),
      left: expression('The left operand, evaluated first.'),
      right: expression('The right operand.'),
    },
  ),
  CastExpression: closed('Converts between int64 and float64; every type casts to itself.', {
    kind: tag('cast'),
    expr: expression('The operand.'),
    to: ref<ScalarType>('ScalarType', 'The type to convert to.'),
  }),
  BranchExpression: closed('The value of the first branch whose condition is true.', {
    kind: tag('branch'),
    branches: list('The branches, tested in order.', ref<BranchArm>('BranchArm'), 1),
    else: expression('The value if no condition is true.'),
  }),
  BranchArm: closed('One branch.', {
    when: expression('The condition.'),
    then: expression('The value if the condition is true.'),
  }),
  CoalesceExpression: closed('The first value that is not NULL; NULL if all values are NULL.', {
    kind: tag('coalesce'),
    args: list(
      'The values, evaluated in order up to the first that is not NULL. All have one scalar type. Only the first one may contain crossings (correlated subqueries).',
      ref<Expression>('Expression'),
      2,
    ),
  }),
  CallExpression: closed('The value of a function.', {
    kind: tag('call'),
    fn: oneOf('The function.', functionNames),
    args: list(
      'The arguments, evaluated in order. If one is NULL, the value is NULL, except for `not_null`.',
      ref<Expression>('Expression'),
    ),
  }),
  TextMatchExpression: closed(
    'True if a pattern of literals and wildcards matches a whole string.',
    {
      kind: tag('text_match'),
      value: expression('The string to match.'),
      parts: list('The pattern, left to right.', ref<TextPart>('TextPart'), 1),
      comparison: optional(
        oneOf('The comparison of characters; `exact` if absent.', ['exact', 'unicode_simple_fold']),
      ),
    },
  ),
  TextPart: variants<TextPart>('A part of a pattern.', ['LiteralPart', 'AnyManyPart']),
  LiteralPart: closed('Matches exactly this text.', {
    kind: tag('literal'),
    value: Type.String({ description: 'The text; not empty.', minLength: 1 }),
  }),
  AnyManyPart: closed('Matches any number of any characters, including none.', {
    kind: tag('any_many'),
  }),
  ExistsCrossing: crossing('exists', 'True if the inner relation has a row for the current row.'),
  FirstCrossing: crossing(
    'first',
    'The first row of the inner relation as an object, or NULL. It needs an order or at most one row.',
  ),
  ScalarCrossing: closed(
    'The value of the only column of an inner relation of at most one row, or NULL.',
    {
      kind: tag('scalar'),
      node: innerNode,
      check: optional(
        Type.Boolean({
          description:
            'True if the inner relation may have several rows; a second row then is an error at run time. False if absent.',
        }),
      ),
    },
  ),
  ArrayCrossing: crossing('array', 'All rows of the ordered inner relation as an array.'),
};
