/** Compiles calls of functions: one loop for each number of arguments. */

import type { PlanExpression } from '#planner';
import { type Apply, EvaluationFailure, functions, type Scalar } from '#value';
import type { Selection, Vector } from '../batch/vector.ts';
import { type Kernel, kernelOf } from './kernel.ts';

type Call = Extract<PlanExpression, { kind: 'call' }>;

/** Writes the values of the selected rows to `out`. Every argument is evaluated before the first value is computed. */
type Loop = (args: readonly Vector[], selection: Selection, count: number, out: Scalar[]) => void;

/** Adds to the memory account of the program, which releases the bytes at the end of the statement. Throws if they exceed its limit. */
export type HoldBytes = (bytes: number) => void;

export function callKernel(
  { fn, overload }: Call,
  operands: readonly Kernel[],
  hold: HoldBytes | undefined,
): Kernel {
  const { overloads, nulls } = functions[fn];
  const { apply, canFail, isGrowing } = overloads[overload] as (typeof overloads)[number];
  const produced = isGrowing && hold !== undefined ? new ProducedBytes(hold) : undefined;
  const loop = loopOf(produced?.counting(apply) ?? apply, operands.length);
  const out: Scalar[] = [];
  return kernelOf(
    (columns, selection, count) => {
      const args = operands.map((operand) => operand.evaluate(columns, selection, count));
      produced?.restart();
      if (nulls === 'refuse') refuseNulls(fn, args, selection, count);
      loop(args, selection, count, out);
      return out;
    },
    canFail || operands.some((operand) => operand.canFail),
  );
}

/** Texts of one batch that use less memory are not counted. */
const freeBytes = 2 ** 20;

/** Counts the bytes of the texts that a kernel returns, and holds those of its largest batch. */
class ProducedBytes {
  private readonly hold: HoldBytes;
  private bytes = 0;
  private heldBytes = freeBytes;

  constructor(hold: HoldBytes) {
    this.hold = hold;
  }

  restart(): void {
    this.bytes = 0;
  }

  counting(apply: Apply): Apply {
    return (...args) => {
      const value = apply(...args);
      this.bytes += 2 * (value as string).length;
      if (this.bytes > this.heldBytes) {
        const more = Math.max(this.bytes - this.heldBytes, freeBytes);
        this.hold(more);
        this.heldBytes += more;
      }
      return value;
    };
  }
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
