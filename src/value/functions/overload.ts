/** The rows of the registry of functions: types of arguments and of the result, and the computation of one value. */

import type { Int64 } from '../arithmetic/int64.ts';
import type { ByteString, Scalar } from '../datum.ts';
import type { ScalarType } from '../types.ts';

/** One way to call a function. A function with several overloads chooses by the types of its arguments. */
export interface Overload {
  readonly args: readonly ScalarType[];
  /** The last argument may occur any number of times, but at least once. */
  readonly isVariadic: boolean;
  readonly result: ScalarType;
  /** Some arguments raise an EvaluationFailure. */
  readonly canFail: boolean;
  /** The value can be much larger than the arguments. */
  readonly isGrowing: boolean;
  /** Computes the value. No argument is NULL. */
  readonly apply: Apply;
}

/** A function of as many arguments as its overload has, by position. */
export type Apply = (...values: readonly Scalar[]) => Scalar;

export interface ScalarFunction {
  readonly overloads: readonly Overload[];
  /** `propagate`: a NULL argument gives NULL. `refuse`: a NULL argument raises a constraint violation, so that the result is never NULL. */
  readonly nulls: 'propagate' | 'refuse';
}

interface ValueTypes {
  readonly text: string;
  readonly int64: Int64;
  readonly float64: number;
  readonly bool: boolean;
  readonly bytes: ByteString;
}

type ValuesOf<Args extends readonly ScalarType[]> = {
  readonly [At in keyof Args]: ValueTypes[Args[At]];
};

interface Properties {
  readonly canFail?: true;
  readonly isGrowing?: true;
  readonly isVariadic?: true;
}

/** Returns an overload; `apply` gets values of the types `args`. */
export function overload<const Args extends readonly ScalarType[], Result extends ScalarType>(
  args: Args,
  result: Result,
  apply: (...values: ValuesOf<Args>) => ValueTypes[Result],
  { canFail = undefined, isGrowing = undefined, isVariadic = undefined }: Properties = {},
): Overload {
  return {
    args,
    isVariadic: isVariadic === true,
    result,
    canFail: canFail === true,
    isGrowing: isGrowing === true,
    apply: apply as unknown as Apply,
  };
}

export function scalarFunction(...overloads: readonly Overload[]): ScalarFunction {
  return { overloads, nulls: 'propagate' };
}
