/** Folds over the argument values of one group (docs/lir.md §5). */

import { finite, inRange } from './arithmetic.ts';
import { isScalar } from './expression.ts';
import { invalid } from './problem.ts';
import type { Type } from './relation.ts';
import { compareValues, type Value } from './value.ts';

export interface Fold {
  readonly type: Type;
  readonly nullable: boolean;
  /** Its additions are of binary64, in an order that is left open. */
  readonly addsFloats: boolean;
  /** The result is one of the values; which of those that are equal is left open. */
  readonly picks: boolean;
  /** `true` for each row of a `count` without argument. */
  apply(values: readonly Value[]): Value;
}

export function foldOf(fn: string, argument: Type | undefined): Fold {
  const present = (values: readonly Value[]) => values.filter((value) => value !== null);
  if (fn === 'count') {
    if (argument !== undefined && !isScalar(argument)) throw invalid('type_mismatch', 'count');
    return {
      type: 'int64',
      nullable: false,
      addsFloats: false,
      picks: false,
      apply: (values) => BigInt(present(values).length),
    };
  }
  const isNumeric = argument === 'int64' || argument === 'float64';
  const needsNumber = fn === 'sum' || fn === 'avg';
  if (argument === undefined || !isScalar(argument) || (needsNumber && !isNumeric)) {
    throw invalid('type_mismatch', fn);
  }
  const type = fn === 'avg' ? 'float64' : argument;
  const apply = (values: readonly Value[]): Value => {
    const known = present(values);
    if (known.length === 0) return null;
    if (fn === 'avg') {
      return finite(known.reduce<number>((sum, value) => sum + Number(value), 0) / known.length);
    }
    if (fn === 'sum') return sumOf(argument, known);
    const sign = fn === 'min' ? 1 : -1;
    return known.reduce((best, value) => (compareValues(value, best) * sign < 0 ? value : best));
  };
  const addsFloats = fn === 'avg' || (fn === 'sum' && type === 'float64');
  return { type, nullable: true, addsFloats, picks: !needsNumber, apply };
}

function sumOf(type: Type, values: readonly Value[]): Value {
  if (type === 'int64')
    return inRange(values.reduce<bigint>((sum, value) => sum + (value as bigint), 0n));
  return finite(values.reduce<number>((sum, value) => sum + (value as number), 0));
}

/** Whether no order of additions rounds: all values are multiples of one unit, and few enough of it. Two values have one order. */
export function isExactSum(values: readonly number[]): boolean {
  if (values.length < 3) return true;
  const unit = Math.min(...values.map(unitOf));
  const total = values.reduce((sum, value) => sum + Math.abs(value), 0);
  return total / unit < 2 ** 52;
}

/** The value of the last binary digit that is set. */
function unitOf(value: number): number {
  if (value === 0) return Number.POSITIVE_INFINITY;
  const bits = new BigUint64Array(new Float64Array([value]).buffer)[0] as bigint;
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = (bits & (2n ** 52n - 1n)) | (exponent === 0 ? 0n : 2n ** 52n);
  const lowest = Number(fraction & -fraction);
  return lowest * 2 ** (Math.max(exponent, 1) - 1075) || Number.MIN_VALUE;
}
