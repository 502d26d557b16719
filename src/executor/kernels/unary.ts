/** Compiles not, negate, is_null and is_not_null. */

import { unreachable } from '#base';
import type { UnaryOperator } from '#lir';
import { type Datum, type DatumType, negateInt64 } from '#value';
import type { Vector } from '../batch/vector.ts';
import { type Kernel, kernelOf } from './kernel.ts';

export function unaryKernel(op: UnaryOperator, operand: Kernel, type: DatumType): Kernel {
  switch (op) {
    case 'not':
      return each(operand, (value) => (value === null ? null : !value), operand.canFail);
    case 'is_null':
      return each(operand, (value) => value === null, operand.canFail);
    case 'is_not_null':
      return each(operand, (value) => value !== null, operand.canFail);
    case 'negate':
      return type.kind === 'float64'
        ? each(operand, (value) => (value === null ? null : -(value as number)), operand.canFail)
        : each(operand, negateOrNull, true);
    default:
      return unreachable(op);
  }
}

function negateOrNull(value: Datum): Datum {
  return value === null ? null : negateInt64(value as number | bigint);
}

function each(operand: Kernel, change: (value: Datum) => Datum, canFail: boolean): Kernel {
  const out: Vector = [];
  return kernelOf((columns, selection, count) => {
    const values = operand.evaluate(columns, selection, count);
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      out[row] = change(values[row] as Datum);
    }
    return out;
  }, canFail);
}
