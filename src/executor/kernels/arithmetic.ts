/** Compiles add, sub, mul and div; both operands are evaluated before either is checked for NULL. */

import type { ArithmeticOperator } from '#lir';
import {
  addFloat64,
  addInt64,
  type Datum,
  divideFloat64,
  divideInt64,
  type Int64,
  multiplyFloat64,
  multiplyInt64,
  subtractFloat64,
  subtractInt64,
} from '#value';
import type { Vector } from '../batch/vector.ts';
import { type Kernel, kernelOf } from './kernel.ts';

type Both = (left: Datum, right: Datum) => Datum;

export function arithmeticKernel(
  op: ArithmeticOperator,
  isFloat: boolean,
  left: Kernel,
  right: Kernel,
): Kernel {
  const out: Vector = [];
  const both = operationOf(op, isFloat);
  return kernelOf((columns, selection, count) => {
    const lefts = left.evaluate(columns, selection, count);
    const rights = right.evaluate(columns, selection, count);
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const a = lefts[row] as Datum;
      const b = rights[row] as Datum;
      out[row] = a === null || b === null ? null : both(a, b);
    }
    return out;
  }, true);
}

/** Returns the operation on two values, neither of which is NULL. */
function operationOf(op: ArithmeticOperator, isFloat: boolean): Both {
  return isFloat ? floatOf(op) : (intOperations[op] as Both);
}

function floatOf(op: ArithmeticOperator): Both {
  const apply = floatOperations[op];
  return (a, b) => apply(Number(a as Int64), Number(b as Int64));
}

const floatOperations: Readonly<Record<ArithmeticOperator, (a: number, b: number) => number>> = {
  add: addFloat64,
  sub: subtractFloat64,
  mul: multiplyFloat64,
  div: divideFloat64,
};

const intOperations: Readonly<Record<ArithmeticOperator, (a: Int64, b: Int64) => Int64>> = {
  add: addInt64,
  sub: subtractInt64,
  mul: multiplyInt64,
  div: divideInt64,
};
