/**
 * The functions of LIR (docs/lir.md §6.9): a closed registry of pure functions. A new function is a row here, its computation, a row of the oracle
 * and a test; the grammar, the binder, the planner and the executor follow the registry.
 */

import type { ScalarType } from '../types.ts';
import { patternFunctions } from './like.ts';
import { numberFunctions } from './numbers.ts';
import { type Overload, overload, type ScalarFunction } from './overload.ts';
import { parseFunctions } from './parse.ts';
import { regexFunctions } from './regex.ts';
import { textFunctions } from './text.ts';
import { timeFunctions } from './time.ts';

const notNull: ScalarFunction = {
  overloads: (['text', 'int64', 'float64', 'bool', 'bytes'] as const).map((type) =>
    overload([type], type, (value) => value, { canFail: true }),
  ),
  nulls: 'refuse',
};

const rows = {
  not_null: notNull,
  ...textFunctions,
  ...numberFunctions,
  ...parseFunctions,
  ...patternFunctions,
  ...regexFunctions,
  ...timeFunctions,
};

export type FunctionName = keyof typeof rows;

export const functions: Readonly<Record<FunctionName, ScalarFunction>> = rows;

export const functionNames = Object.keys(rows) as readonly FunctionName[];

/** An argument as the choice of an overload sees it. A literal can adopt another type; NULL can adopt every type. */
export interface ArgumentKind {
  readonly type: ScalarType | undefined;
  readonly adopts: 'nothing' | 'numbers' | 'everything';
}

/**
 * Returns the index of the overload for these arguments: the first whose types they have, and otherwise the first whose types literals among them can
 * adopt. Returns -1 if there is none.
 */
export function overloadFor(name: FunctionName, args: readonly ArgumentKind[]): number {
  const { overloads } = functions[name];
  const exact = overloads.findIndex((overload) => fits(overload, args, false));
  return exact >= 0 ? exact : overloads.findIndex((overload) => fits(overload, args, true));
}

function fits(overload: Overload, args: readonly ArgumentKind[], mayAdopt: boolean): boolean {
  const { length } = overload.args;
  if (overload.isVariadic ? args.length < length : args.length !== length) return false;
  return args.every(({ type, adopts }, at) => {
    const wanted = argumentType(overload, at);
    if (type === wanted) return true;
    if (!mayAdopt || adopts === 'nothing') return false;
    return adopts === 'everything' || wanted === 'int64' || wanted === 'float64';
  });
}

/** Returns the type of the argument at a position of a call. */
export function argumentType({ args }: Overload, at: number): ScalarType {
  return args[Math.min(at, args.length - 1)] as ScalarType;
}

/** Returns the forms of a function for a message: `length(text) or length(bytes)`. */
export function signaturesOf(name: FunctionName): string {
  return functions[name].overloads
    .map(({ args, isVariadic }) => `${name}(${args.join(', ')}${isVariadic ? ', …' : ''})`)
    .join(' or ');
}
