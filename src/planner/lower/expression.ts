/** Lowers expressions to column indexes, registers and parameters. */

import { invariant, unreachable } from '#base';
import type { BoundCrossing, BoundExpression, BoundLogical } from '../bind/bound.ts';
import type { PlanExpression } from '../plan/expression.ts';
import { gathered } from '../rewrite/membership.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import type { Planning } from './planning.ts';

/** The columns and registers from which an expression reads its values. */
export interface RowSource {
  readonly columnIndexes: ReadonlyMap<number, number>;
  /** Column indexes of the columns that contain crossings. */
  readonly crossings: ReadonlyMap<BoundCrossing, number>;
  readonly frame: CorrelationFrame | undefined;
}

export function lowerExpression(
  planning: Planning,
  row: RowSource,
  expression: BoundExpression,
): PlanExpression {
  const lower = (part: BoundExpression) => lowerExpression(planning, row, part);
  const { type } = expression;
  switch (expression.kind) {
    case 'literal':
      return { kind: 'parameter', index: planning.parameters.ofLiteral(expression), type };
    case 'column':
      return lowerColumn(planning, row, expression);
    case 'crossing': {
      const columnIndex = row.crossings.get(expression);
      invariant(columnIndex !== undefined, 'a crossing is attached before it is read');
      return { kind: 'column', columnIndex, type };
    }
    case 'unary':
      return { kind: 'unary', op: expression.op, operand: lower(expression.operand), type };
    case 'cast':
      return { kind: 'cast', operand: lower(expression.operand), to: expression.to, type };
    case 'compare': {
      const { op, operandType } = expression;
      const [left, right] = [lower(expression.left), lower(expression.right)];
      return { kind: 'compare', op, left, right, operandType, type };
    }
    case 'arithmetic': {
      const [left, right] = [lower(expression.left), lower(expression.right)];
      return { kind: 'arithmetic', op: expression.op, left, right, type };
    }
    case 'logical':
      return lowerLogical(planning, expression, lower);
    case 'branch': {
      const arms = expression.arms.map(({ when, then }) => ({
        when: lower(when),
        then: lower(then),
      }));
      return { kind: 'branch', arms, otherwise: lower(expression.otherwise), type };
    }
    case 'coalesce':
      return { kind: 'coalesce', operands: expression.operands.map(lower), type };
    case 'call': {
      const { fn, overload } = expression;
      return { kind: 'call', fn, overload, operands: expression.operands.map(lower), type };
    }
    case 'text_match': {
      const { comparison } = expression;
      const parts = expression.parts.map((part) =>
        part.kind === 'literal'
          ? { ...part, parameter: planning.parameters.ofTextPart(part) }
          : part,
      );
      return { kind: 'text_match', value: lower(expression.value), parts, comparison, type };
    }
    default:
      return unreachable(expression);
  }
}

function lowerLogical(
  planning: Planning,
  expression: BoundLogical,
  lower: (part: BoundExpression) => PlanExpression,
): PlanExpression {
  const { op, type } = expression;
  const { parameters, failures } = planning;
  const parts = planning.uses('membership') ? gathered(expression, failures) : expression.operands;
  const operands = parts.map((part): PlanExpression => {
    if (part.kind !== 'gathered') return lower(part);
    const members = part.tests.map(({ literal }) => parameters.ofLiteral(literal));
    const { operandType } = (part.tests[0] as (typeof part.tests)[number]).whole;
    const operand = lower(part.value);
    const among: PlanExpression = { kind: 'among', operand, members, operandType, type };
    return op === 'or' ? among : { kind: 'unary', op: 'not', operand: among, type };
  });
  const [only] = operands as [PlanExpression];
  return operands.length === 1 ? only : { kind: 'logical', op, operands, type };
}

function lowerColumn(
  planning: Planning,
  { columnIndexes, frame }: RowSource,
  { id, type }: Extract<BoundExpression, { kind: 'column' }>,
): PlanExpression {
  const columnIndex = columnIndexes.get(id);
  if (columnIndex !== undefined) return { kind: 'column', columnIndex, type };
  const register = frame?.registerOf(id, planning);
  invariant(register !== undefined, 'every column is in the row or in an enclosing one');
  return { kind: 'register', register, type };
}
