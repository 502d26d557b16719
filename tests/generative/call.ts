/** Random calls of functions. The registry of the product says which there are, so that a new function is called without a change here. */

import type { Expression } from '#lir';
import { functionNames, functions, type ScalarType } from '#value';
import { type ExpressionPlace, expressionOf } from './expression.ts';

interface Signature {
  readonly fn: (typeof functionNames)[number];
  readonly args: readonly ScalarType[];
}

const signatures = new Map<ScalarType, Signature[]>();
for (const fn of functionNames) {
  for (const { args, result } of functions[fn].overloads) {
    const known = signatures.get(result) ?? [];
    known.push({ fn, args });
    signatures.set(result, known);
  }
}

export function callOf(place: ExpressionPlace, type: ScalarType): Expression {
  const { choices } = place.draft;
  const { fn, args } = choices.pick(signatures.get(type) as Signature[]);
  return { kind: 'call', fn, args: args.map((arg) => expressionOf(place, argumentType(arg))) };

  /** At times a number of the other type: a literal adopts the type, and anything else is refused. */
  function argumentType(wanted: ScalarType): ScalarType {
    if (wanted === 'float64' && choices.oneIn(40)) return 'int64';
    return wanted;
  }
}
