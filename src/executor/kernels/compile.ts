/** Compiles plan expressions to kernels, once per operator. */

import { unreachable } from '#base';
import type { TextPart } from '#lir';
import type { PlanExpression, PlanTextPart } from '#planner';
import { type Datum, float64ToInt64, type Int64, int64ToFloat64, textMatcherOf } from '#value';
import type { Vector } from '../batch/vector.ts';
import { arithmeticKernel } from './arithmetic.ts';
import { branchKernel } from './branch.ts';
import { callKernel, type HoldBytes } from './call.ts';
import { coalesceKernel } from './coalesce.ts';
import { compareKernel } from './compare.ts';
import { amongKernel } from './in-list.ts';
import { constantKernel, type Kernel, kernelOf } from './kernel.ts';
import { logicalKernel } from './logical.ts';
import { unaryKernel } from './unary.ts';

/** The values that an expression can refer to in addition to its columns. Registers change between calls. */
export interface Frame {
  readonly parameters: readonly unknown[];
  readonly registers: readonly Datum[];
  /**
   * Kernels of a large query that were compiled in advance. Each is taken only once, because a kernel reuses its own vectors. Undefined for other
   * queries.
   */
  readonly ahead: Map<PlanExpression, Kernel> | undefined;
  /** Undefined if the expressions compute one row only. */
  readonly hold: HoldBytes | undefined;
}

export function compile(expression: PlanExpression, frame: Frame): Kernel {
  const ready = frame.ahead?.get(expression);
  if (ready === undefined) return compiled(expression, frame);
  frame.ahead?.delete(expression);
  return ready;
}

/** Returns whether evaluation of the expression can fail. */
export function canFail(expression: PlanExpression, frame: Frame): boolean {
  return (frame.ahead?.get(expression) ?? compile(expression, frame)).canFail;
}

function compiled(expression: PlanExpression, frame: Frame): Kernel {
  const sub = (operand: PlanExpression): Kernel => compile(operand, frame);
  switch (expression.kind) {
    case 'parameter': {
      const { index } = expression;
      return constantKernel(() => frame.parameters[index] as Datum);
    }
    case 'register': {
      const { registers } = frame;
      const { register } = expression;
      return constantKernel(() => registers[register] as Datum);
    }
    case 'column': {
      const { columnIndex } = expression;
      return kernelOf((columns) => columns[columnIndex] as Vector, false);
    }
    case 'unary':
      return unaryKernel(expression.op, sub(expression.operand), expression.operand.type);
    case 'compare':
      return compareKernel(
        expression.op,
        expression.operandType,
        sub(expression.left),
        sub(expression.right),
      );
    case 'arithmetic':
      return arithmeticKernel(
        expression.op,
        expression.type.kind === 'float64',
        sub(expression.left),
        sub(expression.right),
      );
    case 'logical':
      return logicalKernel(expression.op, expression.operands.map(sub));
    case 'among': {
      const { operand, members, operandType } = expression;
      const values = members.map((index) => frame.parameters[index] as Datum);
      return amongKernel(sub(operand), values, operandType);
    }
    case 'cast':
      return castKernel(sub(expression.operand), expression);
    case 'branch':
      return branchKernel(
        expression.arms.map((arm) => ({ when: sub(arm.when), then: sub(arm.then) })),
        sub(expression.otherwise),
      );
    case 'coalesce':
      return coalesceKernel(expression.operands.map(sub));
    case 'call':
      return callKernel(expression, expression.operands.map(sub), frame.hold);
    case 'text_match':
      return matchKernel(sub(expression.value), expression, frame.parameters);
    default:
      return unreachable(expression);
  }
}

export function compileAll(expressions: readonly PlanExpression[], frame: Frame): Kernel[] {
  return expressions.map((expression) => compile(expression, frame));
}

function castKernel(
  operand: Kernel,
  { operand: { type: from }, to }: Extract<PlanExpression, { kind: 'cast' }>,
): Kernel {
  if (from.kind === to) return operand;
  return to === 'int64'
    ? mapKernel(operand, (value) => float64ToInt64(value as number), true)
    : mapKernel(operand, (value) => int64ToFloat64(value as Int64), operand.canFail);
}

/** Returns the parts of a pattern with the values of these program parameters. */
export function textPartsAt(
  parts: readonly PlanTextPart[],
  parameters: readonly unknown[],
): readonly TextPart[] {
  return parts.map((part) => {
    if (part.kind === 'any_many' || part.parameter === undefined) return part;
    return { kind: 'literal', value: parameters[part.parameter] as string };
  });
}

function matchKernel(
  value: Kernel,
  { parts, comparison }: Extract<PlanExpression, { kind: 'text_match' }>,
  parameters: readonly unknown[],
): Kernel {
  const matches = textMatcherOf(textPartsAt(parts, parameters), comparison);
  return mapKernel(value, (text) => matches(text as string), value.canFail);
}

/** Returns a kernel that applies `change` to each value; NULL stays NULL. */
function mapKernel(operand: Kernel, change: (value: Datum) => Datum, canFail: boolean): Kernel {
  const out: Vector = [];
  return kernelOf((columns, selection, count) => {
    const values = operand.evaluate(columns, selection, count);
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as Datum;
      out[row] = value === null ? null : change(value);
    }
    return out;
  }, canFail);
}
