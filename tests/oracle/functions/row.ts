/** A row of the oracle's own table of functions: argument types, result type, and the value (docs/lir.md §6.9). */

import type { Scalar } from '../relation.ts';
import type { Value } from '../value.ts';

export interface FunctionRow {
  readonly args: readonly Scalar[];
  /** The last argument may be repeated. */
  readonly isOpen: boolean;
  readonly result: Scalar;
  // biome-ignore lint/suspicious/noExplicitAny: the types of the arguments are data here
  readonly value: (...args: any[]) => Value;
}

export function row(signature: string, value: FunctionRow['value']): FunctionRow {
  const [args = '', result = ''] = signature.split(' > ');
  const isOpen = args.endsWith('…');
  const types = args.replace('…', '').split(' ') as Scalar[];
  return { args: types, isOpen, result: result as Scalar, value };
}
