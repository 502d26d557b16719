/** Folds over the argument values of one group (lir.md §6). */

import { finite, inRange } from './arithmetic.ts';
import { isScalar } from './expression.ts';
import { invalid } from './problem.ts';
import type { Type } from './relation.ts';
import { compareValues, type Value } from './value.ts';

export interface Fold {
  readonly type: Type;
  readonly nullable: boolean;
  /** `true` for each row of a `count` without argument. */
  apply(values: readonly Value[]): Value;
}

export function fold(fn: string, argument: Type | undefined): Fold {
  const present = (values: readonly Value[]) => values.filter((value) => value !== null);
  if (fn === 'count') {
    if (argument !== undefined && !isScalar(argument)) throw invalid('type_mismatch', 'count');
    return { type: 'int64', nullable: false, apply: (values) => BigInt(present(values).length) };
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
  return { type, nullable: true, apply };
}

function sumOf(type: Type, values: readonly Value[]): Value {
  if (type === 'int64')
    return inRange(values.reduce<bigint>((sum, value) => sum + (value as bigint), 0n));
  return finite(values.reduce<number>((sum, value) => sum + (value as number), 0));
}
