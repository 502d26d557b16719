/** Functions in FROM whose rows are known before the statement runs: unnest and generate_series. */

import type { FuncCall, Node, RangeFunction } from 'libpg-query';
import type { Row } from '#value';
import type { SqlValue, StatementValues } from '../compiled.ts';
import { childScope, type Scope, type ScopeColumn } from '../scope/scope.ts';
import { sqlError, unsupported } from '../sql-error.ts';
import { sqlTypes } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { column } from './build.ts';
import { coerce, isInteger } from './coerce.ts';
import { type Compilation, type Env, isTyped, type Operand } from './compilation.ts';
import { operand } from './expression.ts';
import type { FromPart } from './join.ts';
import { lateRows, type ValueSource } from './late.ts';
import { builtinName, itemsOf, nameParts } from './nodes.ts';

/** Rows that a function returns at most. */
const rowsMax = 1_000_000;

interface FunctionRows {
  readonly types: readonly SqlType[];
  rows(values: StatementValues): readonly (readonly SqlValue[])[];
}

export function functionPart(
  compilation: Compilation,
  range: RangeFunction,
  parent: Scope,
): FromPart {
  const { functions = [], ordinality, alias, coldeflist } = range;
  const [only] = itemsOf(functions[0]);
  if (
    functions.length !== 1 ||
    coldeflist !== undefined ||
    only === undefined ||
    !('FuncCall' in only)
  ) {
    throw compilation.unsupported('this function in FROM', undefined);
  }
  const call = only.FuncCall;
  const found = functionRows({ compilation, scope: childScope(parent), clause: 'FROM' }, call);
  const name = alias?.aliasname ?? (builtinName(call.funcname) as string);
  const types = ordinality ? [...found.types, sqlTypes.int8] : found.types;
  const names = nameParts(alias?.colnames);
  const scope = compilation.name('s');
  const columns = types.map((type, at): ScopeColumn => {
    const isNumber = ordinality === true && at === types.length - 1;
    const own = isNumber ? 'ordinality' : found.types.length === 1 ? name : 'unnest';
    return { name: names[at] ?? own, expr: column(scope, `c${at + 1}`), type, nullable: !isNumber };
  });
  const declared = types.map((type, at) => ({
    name: `c${at + 1}`,
    type: type.stored,
    nullable: (columns[at] as ScopeColumn).nullable,
  }));
  const source = (values: StatementValues) =>
    found.rows(values).map((row, at) => (ordinality ? [...row, at + 1] : row) as Row);
  const node = compilation.node({ kind: 'rows', scope, columns: declared, rows: [] }, () =>
    lateRows(scope, declared, source),
  );
  return { node, tables: [{ name, columns }], columns };
}

function functionRows(env: Env, call: FuncCall): FunctionRows {
  const { compilation } = env;
  const name = builtinName(call.funcname);
  const args = (call.args ?? []).map((arg: Node) => operand(env, arg));
  if (name === 'unnest' && args.length > 0) return unnest(compilation, args, call.location);
  if (name === 'generate_series') return series(compilation, args, call.location);
  const hint = 'svc has unnest and generate_series of values that are known before the statement.';
  throw compilation.unsupported(
    `function ${nameParts(call.funcname).join('.')} in FROM`,
    call.location,
    hint,
  );
}

function unnest(
  compilation: Compilation,
  args: readonly Operand[],
  location: number | undefined,
): FunctionRows {
  const arrays = args.map((arg) => {
    const { element } = (isTyped(arg) ? arg.type : undefined) ?? {};
    const source = isTyped(arg) ? arg.source : undefined;
    if (!isTyped(arg)) {
      throw compilation.error('42725', 'function unnest(unknown) is not unique', location, {
        hint: 'Could not choose a best candidate function. You might need to add explicit type casts.',
      });
    }
    if (element === undefined || source === undefined) {
      throw compilation.unsupported('unnest of a value that is not a constant array', location);
    }
    return { element, source };
  });
  return {
    types: arrays.map(({ element }) => element),
    rows: (values) => {
      const lists = arrays.map(({ source }) => {
        const array = (source(values) ?? []) as readonly unknown[];
        return array.flat(Number.POSITIVE_INFINITY) as SqlValue[];
      });
      const length = Math.max(...lists.map((list) => list.length));
      requireCount(length);
      return Array.from({ length }, (_, at) => lists.map((list) => list[at] ?? null));
    },
  };
}

function series(
  compilation: Compilation,
  args: readonly Operand[],
  location: number | undefined,
): FunctionRows {
  const isWide = args.some((arg) => isTyped(arg) && arg.type.name === 'int8');
  const type = isWide ? sqlTypes.int8 : sqlTypes.int4;
  const areIntegers = args.every((arg) => !isTyped(arg) || isInteger(arg.type));
  if (!areIntegers || args.length < 2 || args.length > 3) {
    throw compilation.unsupported('generate_series of other values than integers', location);
  }
  const sources = args.map((arg) => coerce(compilation, arg, type, 'implicit').source);
  if (sources.some((source) => source === undefined)) {
    throw compilation.unsupported('generate_series of values that are not constant', location);
  }
  return { types: [type], rows: (values) => seriesOf(sources as ValueSource[], values) };
}

function seriesOf(sources: readonly ValueSource[], values: StatementValues): SqlValue[][] {
  const bounds = sources.map((source) => source(values));
  if (bounds.includes(null)) return [];
  const [from, to, step = 1] = bounds.map(Number) as [number, number, number?];
  if (![from, to, step].every(Number.isSafeInteger)) {
    throw unsupported('generate_series of numbers beyond 2^53');
  }
  if (step === 0) throw sqlError('22023', 'step size cannot equal zero');
  const count = Math.max(0, Math.floor((to - from) / step) + 1);
  requireCount(count);
  return Array.from({ length: count }, (_, at) => [from + at * step]);
}

function requireCount(count: number): void {
  if (count <= rowsMax) return;
  throw sqlError('54000', `a function in FROM returns more than ${rowsMax} rows`, {
    hint: 'Split the statement.',
  });
}
