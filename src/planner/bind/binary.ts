/** Comparisons, arithmetic and connectives. Chains of one connective are bound without recursion along their left spine. */

import type { Expression, LogicalOperator } from '#lir';
import type { BoundArithmetic, BoundCompare, BoundExpression, BoundLogical } from './bound.ts';
import { bindExpression, type ExpressionOf, mistyped } from './expression.ts';
import type { ExpressionContext } from './expression-context.ts';
import { adoptLiteral } from './literal.ts';
import { bool, float64, int64, isNumeric, scalarOf } from './types.ts';

type Binary = ExpressionOf<'binary'>;

export function bindBinary(site: ExpressionContext, expression: Binary): BoundExpression {
  const { op } = expression;
  switch (op) {
    case 'and':
    case 'or':
      return bindLogical(site, expression, op);
    case 'add':
    case 'sub':
    case 'mul':
    case 'div':
      return bindArithmetic(site, expression, op);
    default:
      return bindCompare(site, expression, op);
  }
}

function bindCompare(
  site: ExpressionContext,
  expression: Binary,
  op: BoundCompare['op'],
): BoundCompare {
  const [left, right] = bindOperands(site, expression);
  const operandType = scalarOf(left);
  if (operandType === undefined || operandType !== scalarOf(right)) {
    throw mistyped(
      site,
      expression,
      `${op} does not compare ${left.type.kind} with ${right.type.kind}`,
    );
  }
  const nullable = left.nullable || right.nullable;
  return { kind: 'compare', op, left, right, operandType, type: bool, nullable };
}

function bindArithmetic(
  site: ExpressionContext,
  expression: Binary,
  op: BoundArithmetic['op'],
): BoundArithmetic {
  const [left, right] = bindOperands(site, expression);
  const of = [scalarOf(left), scalarOf(right)];
  if (!of.every(isNumeric)) {
    const detail = `${op} needs int64 or float64 operands, got ${left.type.kind} and ${right.type.kind}`;
    throw mistyped(site, expression, detail);
  }
  const type = of.includes('float64') ? float64 : int64;
  return { kind: 'arithmetic', op, left, right, type, nullable: left.nullable || right.nullable };
}

/** Binds both operands. If exactly one is a literal, it is bound last, because it adopts the type of the other operand. */
function bindOperands(
  site: ExpressionContext,
  { left, right }: Binary,
): [BoundExpression, BoundExpression] {
  if (left.kind === 'lit' && right.kind !== 'lit') {
    const other = bindExpression(site, right);
    return [adoptLiteral(site, left, other), other];
  }
  const first = bindExpression(site, left);
  if (right.kind === 'lit' && left.kind !== 'lit') return [first, adoptLiteral(site, right, first)];
  return [first, bindExpression(site, right)];
}

function bindLogical(
  site: ExpressionContext,
  expression: Binary,
  op: LogicalOperator,
): BoundLogical {
  const operands: BoundExpression[] = [];
  for (const part of operandsInOrder(expression, op)) {
    const operand = bindExpression(site, part);
    if (operand.type.kind !== 'bool') {
      throw mistyped(site, part, `${op} needs bool operands, got ${operand.type.kind}`);
    }
    operands.push(operand);
  }
  const nullable = operands.some((operand) => operand.nullable);
  return { kind: 'logical', op, operands, type: bool, nullable };
}

/** Flattens a chain: `(a op b) op (c op d)` → a, b, c, d. Both forms evaluate the same operands in the same order. */
function operandsInOrder(expression: Binary, op: LogicalOperator): readonly Expression[] {
  const operands: Expression[] = [];
  const open: Expression[] = [expression];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.kind === 'binary' && part.op === op) open.push(part.right, part.left);
    else operands.push(part);
  }
  return operands;
}
