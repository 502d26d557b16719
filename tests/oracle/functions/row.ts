/** A row of the oracle's own table of functions: argument types, result type, and the value (docs/lir.md §6.9). */

import type { Scalar } from '../relation.ts';
import type { Value } from '../value.ts';

export interface FunctionRow {
  readonly args: readonly Scalar[];
  readonly result: Scalar;
  // biome-ignore lint/suspicious/noExplicitAny: the types of the arguments are data here
  readonly value: (...args: any[]) => Value;
}

export function row(signature: string, value: FunctionRow['value']): FunctionRow {
  const [args = '', result = ''] = signature.split(' > ');
  return { args: args.split(' ') as Scalar[], result: result as Scalar, value };
}
