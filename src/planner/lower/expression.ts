/** Expressions over slots, registers and parameters. */

import { invariant, unreachable } from '#base';
import type { BoundCrossing, BoundExpression } from '../bind/bound.ts';
import type { PlanExpression } from '../plan/expression.ts';
import type { Frame } from './frame.ts';
import type { Planning } from './planning.ts';

/** Where the values of an expression are found. */
export interface Row {
  readonly slots: ReadonlyMap<number, number>;
  /** Slots of attached crossings. */
  readonly crossings: ReadonlyMap<BoundCrossing, number>;
  readonly frame: Frame | undefined;
}

export function lowerExpression(
  planning: Planning,
  row: Row,
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
      const slot = row.crossings.get(expression);
      invariant(slot !== undefined, 'a crossing is attached before it is read');
      return { kind: 'column', slot, type };
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
      return { kind: 'logical', op: expression.op, operands: expression.operands.map(lower), type };
    case 'branch': {
      const arms = expression.arms.map(({ when, then }) => ({
        when: lower(when),
        then: lower(then),
      }));
      return { kind: 'branch', arms, otherwise: lower(expression.otherwise), type };
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

function lowerColumn(
  planning: Planning,
  { slots, frame }: Row,
  { id, type }: Extract<BoundExpression, { kind: 'column' }>,
): PlanExpression {
  const slot = slots.get(id);
  if (slot !== undefined) return { kind: 'column', slot, type };
  const register = frame?.registerOf(id, planning);
  invariant(register !== undefined, 'every column is in the row or in an enclosing one');
  return { kind: 'register', register, type };
}
