/** Constants and parameters of a statement. */

import type { A_Const } from 'libpg-query';
import { readFloat, readInteger } from '../types/number-text.ts';
import { sqlTypes } from '../types/registry.ts';
import { type Compilation, isTyped, type Operand, type Typed } from './compilation.ts';

export function constantOperand(compilation: Compilation, constant: A_Const): Operand {
  const { ival, fval, boolval, sval, isnull, location } = constant;
  if (isnull) return { type: undefined, of: { kind: 'null' }, location };
  if (sval !== undefined) {
    return { type: undefined, of: { kind: 'text', text: sval.sval ?? '' }, location };
  }
  if (ival !== undefined) return compilation.constant(sqlTypes.int4, ival.ival ?? 0);
  if (fval !== undefined) return numberConstant(compilation, fval.fval ?? '0');
  if (boolval !== undefined) return compilation.constant(sqlTypes.bool, boolval.boolval ?? false);
  throw compilation.unsupported('a bit string', location);
}

const int4Max = 2n ** 31n;
const int8Max = 2n ** 63n;

/** Integers get the narrowest type of int4 and int8 that contains them. All other numbers are float8. */
function numberConstant(compilation: Compilation, text: string): Typed {
  if (/^-?\d+$/.test(text)) {
    const value = BigInt(text);
    if (value >= -int4Max && value < int4Max) {
      return compilation.constant(sqlTypes.int4, Number(value));
    }
    if (value >= -int8Max && value < int8Max) {
      return compilation.constant(sqlTypes.int8, readInteger('int8', text));
    }
  }
  return compilation.constant(sqlTypes.float8, readFloat('float8', text));
}

export function parameterOperand(
  compilation: Compilation,
  { number = 0, location }: { readonly number?: number; readonly location?: number | undefined },
): Operand {
  const { parameterCount, input } = compilation;
  if (number <= parameterCount && number > 0) {
    const type = compilation.parameterType(number);
    if (type === undefined) return { type, of: { kind: 'parameter', number }, location };
    const at = number - 1;
    return compilation.value(type, ({ parameters }) => parameters[at] ?? null, true);
  }
  const cut = number - parameterCount - 1;
  const literal = input.literals[cut];
  if (literal === undefined) {
    throw compilation.error('42P02', `there is no parameter $${number}`, location);
  }
  const { kind, text } = literal;
  if (kind === 'string') return { type: undefined, of: { kind: 'text', text, cut }, location };
  // A literal of the same family has the same type.
  const isInt4 = kind === 'integer' && Number(text) < Number(int4Max);
  const type = kind === 'decimal' ? sqlTypes.float8 : isInt4 ? sqlTypes.int4 : sqlTypes.int8;
  return compilation.value(type, ({ literals }) => literals[cut] ?? null, false);
}

/** Returns a parameter with its type, if its context has decided it in the meantime. Any other operand is returned unchanged. */
export function decided(compilation: Compilation, operand: Operand): Operand {
  if (isTyped(operand) || operand.of.kind !== 'parameter') return operand;
  return parameterOperand(compilation, { ...operand, number: operand.of.number });
}
