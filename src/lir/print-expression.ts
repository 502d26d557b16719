/** Expressions as text for people, fully parenthesised. */

import { unreachable } from '#base';
import type { BinaryOperator, Expression, Literal, TextPart } from './query.ts';

const symbols: Readonly<Record<BinaryOperator, string>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  and: 'and',
  or: 'or',
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
};

export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'lit':
      return printLiteral(expression.value);
    case 'col':
      return `${expression.scope}.${expression.column}`;
    case 'unary':
      return printUnary(expression);
    case 'binary':
      return `${nested(expression.left)} ${symbols[expression.op]} ${nested(expression.right)}`;
    case 'cast':
      return `cast(${printExpression(expression.expr)} to ${expression.to})`;
    case 'branch':
      return printBranch(expression);
    case 'coalesce':
      return `coalesce(${expression.args.map(printExpression).join(', ')})`;
    case 'text_match':
      return `${nested(expression.value)} ${matchWord(expression)} ${pattern(expression.parts)}`;
    case 'exists':
    case 'first':
    case 'scalar':
    case 'array':
      return `${expression.kind}(${expression.node})`;
    default:
      return unreachable(expression);
  }
}

type Of<Kind extends Expression['kind']> = Extract<Expression, { readonly kind: Kind }>;

function nested(expression: Expression): string {
  const text = printExpression(expression);
  return expression.kind === 'binary' || expression.kind === 'text_match' ? `(${text})` : text;
}

function printUnary({ op, expr }: Of<'unary'>): string {
  const operand = nested(expr);
  switch (op) {
    case 'not':
      return `not ${operand}`;
    case 'negate':
      return `-${operand}`;
    case 'is_null':
      return `${operand} is null`;
    case 'is_not_null':
      return `${operand} is not null`;
    default:
      return unreachable(op);
  }
}

function printBranch(branch: Of<'branch'>): string {
  const arms = branch.branches.map(
    (arm) => `when ${printExpression(arm.when)} then ${printExpression(arm.then)}`,
  );
  return `case ${arms.join(' ')} else ${printExpression(branch.else)} end`;
}

function matchWord({ comparison }: Of<'text_match'>): string {
  return comparison === 'unicode_simple_fold' ? 'matches folded' : 'matches';
}

function pattern(parts: readonly TextPart[]): string {
  return parts
    .map((part) => (part.kind === 'any_many' ? '*' : JSON.stringify(part.value)))
    .join(' ');
}

function printLiteral({ type, value }: Literal): string {
  if (value === undefined) return `null:${type}`;
  if (type === 'text') return JSON.stringify(value);
  return type === 'bytes' ? `bytes ${JSON.stringify(value)}` : `${value}`;
}
