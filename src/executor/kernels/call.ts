/** Compiles calls of functions: one loop for each number of arguments. */

import type { PlanExpression } from '#planner';
import { type Apply, EvaluationFailure, functions, type Scalar } from '#value';
import type { Selection, Vector } from '../batch/vector.ts';
import { type Kernel, kernelOf } from './kernel.ts';

type Call = Extract<PlanExpression, { kind: 'call' }>;

/** Writes the values of the selected rows to `out`. Every argument is evaluated before the first value is computed. */
type Loop = (args: readonly Vector[], selection: Selection, count: number, out: Scalar[]) => void;

export function callKernel({ fn, overload }: Call, operands: readonly Kernel[]): Kernel {
  const { overloads, nulls } = functions[fn];
  const { apply, canFail } = overloads[overload] as (typeof overloads)[number];
  const loop = loopOf(apply, operands.length);
  const out: Scalar[] = [];
  return kernelOf(
    (columns, selection, count) => {
      const args = operands.map((operand) => operand.evaluate(columns, selection, count));
      if (nulls === 'refuse') refuseNulls(fn, args, selection, count);
      loop(args, selection, count, out);
      return out;
    },
    canFail || operands.some((operand) => operand.canFail),
  );
}

function loopOf(apply: Apply, arity: number): Loop {
  if (arity === 1) return unaryLoop(apply);
  return arity === 2 ? binaryLoop(apply) : naryLoop(apply);
}

function unaryLoop(apply: (value: Scalar) => Scalar): Loop {
  return ([values = []], selection, count, out) => {
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as Scalar;
      out[row] = value === null ? null : apply(value);
    }
  };
}

function binaryLoop(apply: (left: Scalar, right: Scalar) => Scalar): Loop {
  return ([lefts = [], rights = []], selection, count, out) => {
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const left = lefts[row] as Scalar;
      const right = rights[row] as Scalar;
      out[row] = left === null || right === null ? null : apply(left, right);
    }
  };
}

function naryLoop(apply: Apply): Loop {
  return (args, selection, count, out) => {
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const values = args.map((arg) => arg[row] as Scalar);
      out[row] = values.includes(null) ? null : apply(...values);
    }
  };
}

function refuseNulls(
  fn: string,
  args: readonly Vector[],
  selection: Selection,
  count: number,
): void {
  for (const values of args) {
    for (let i = 0; i < count; i++) {
      if (values[selection[i] as number] !== null) continue;
      throw new EvaluationFailure('constraint_violation', `the value of ${fn} is NULL`);
    }
  }
}
