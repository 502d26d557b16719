/** Calls of functions of LIR. */

import type { Expression } from '#lir';
import { type FunctionName, functions } from '#value';

/** Whether the planner has a function. */
export function hasCall(fn: string): boolean {
  return Object.hasOwn(functions, fn);
}

/** Calls a function that the planner has. */
export function call(fn: string, ...args: readonly Expression[]): Expression {
  return { kind: 'call', fn: fn as FunctionName, args };
}
