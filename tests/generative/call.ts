/** Random calls of functions. The registry of the product says which there are, so that a new function is called without a change here. */

import type { Expression, Literal } from '#lir';
import { ByteString, formatBase64, functionNames, functions, type ScalarType } from '#value';
import { argumentsFor } from '../oracle/functions/arguments.ts';
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
  return {
    kind: 'call',
    fn,
    args: args.map((arg, at) => {
      // The first argument is mostly an expression. The others mean something only if they fit the function.
      const isTelling = at === 0 ? choices.oneIn(4) : !choices.oneIn(3);
      if (isTelling) return { kind: 'lit', value: literalFor(fn, at, arg) };
      return expressionOf(place, argumentType(arg));
    }),
  };

  function literalFor(fn: Signature['fn'], at: number, type: ScalarType): Literal {
    const value = choices.pick(argumentsFor(fn, at, type));
    if (type === 'bool') return { type, value: value === true };
    if (value instanceof ByteString) return { type: 'bytes', value: formatBase64(value.bytes) };
    return { type, value: Object.is(value, -0) ? '-0' : String(value) };
  }

  /** At times a number of the other type: a literal adopts the type, and anything else is refused. */
  function argumentType(wanted: ScalarType): ScalarType {
    if (wanted === 'float64' && choices.oneIn(40)) return 'int64';
    return wanted;
  }
}
