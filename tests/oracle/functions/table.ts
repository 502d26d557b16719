/** All functions of the oracle, and the choice between rows of one name (docs/lir.md §6.9). */

import type { Expression } from '#lir';
import { invalid } from '../problem.ts';
import type { Scalar, Type } from '../relation.ts';
import { numberRows } from './numbers.ts';
import { parseRows } from './parse.ts';
import { patternRows } from './patterns.ts';
import { regexRows } from './regex.ts';
import { type FunctionRow, row } from './row.ts';
import { textRows } from './text.ts';
import { timeRows } from './time.ts';

const types = ['text', 'int64', 'float64', 'bool', 'bytes'];

/** The rows of each function. */
export const table: Readonly<Record<string, readonly FunctionRow[]>> = {
  not_null: types.map((type) => row(`${type} > ${type}`, (value) => value)),
  ...textRows,
  ...numberRows,
  ...parseRows,
  ...patternRows,
  ...regexRows,
  ...timeRows,
};

/** The type of an argument; of a literal also its own document. */
export interface Argument {
  readonly type: Type;
  readonly literal: Extract<Expression, { kind: 'lit' }> | undefined;
}

export function rowFor(name: string, args: readonly Argument[]): FunctionRow {
  const rows = (table[name] as readonly FunctionRow[])
    .map((found) =>
      found.isOpen ? { ...found, args: args.map(() => found.args[0] as Scalar) } : found,
    )
    .filter((found) => found.args.length === args.length && args.length > 0);
  const found =
    rows.find((row) => args.every(({ type }, i) => type === row.args[i])) ??
    rows.find((row) => args.every((arg, i) => canBecome(arg, row.args[i] as Scalar)));
  if (found === undefined) throw invalid('type_mismatch', name);
  return found;
}

function canBecome({ type, literal }: Argument, wanted: Scalar): boolean {
  if (type === wanted) return true;
  if (literal === undefined) return false;
  const numbers = ['int64', 'float64'];
  return literal.value.value === undefined || (numbers.includes(type) && numbers.includes(wanted));
}
