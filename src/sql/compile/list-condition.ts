/** `x [NOT] IN (list)`. */

import type { A_Expr, Node } from 'libpg-query';
import { sqlTypes } from '../types/registry.ts';
import { canBeNull, joined, not, shared } from './build.ts';
import { coerce } from './coerce.ts';
import { commonTypeOf } from './common-type.ts';
import { type Compilation, type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import type { Wanted } from './condition.ts';
import { operand } from './expression.ts';
import { builtinName, itemsOf } from './nodes.ts';
import { comparable } from './operators.ts';
import { constantRows, quantified } from './quantified.ts';
import { compareRows, isRow, rowOperands } from './row-comparison.ts';

/** Longer lists become the rows of a relation. */
const shortList = 32;

export function listCondition(env: Env, content: A_Expr, wanted: Wanted): Typed {
  const { name, lexpr, rexpr, location } = content;
  const isNegated = builtinName(name) === '<>';
  const items = itemsOf(rexpr);
  const long = items.length > shortList ? longList(env, content, items, wanted) : undefined;
  if (long !== undefined) return long;
  const { compilation } = env;
  const rows = items.map((item) => (isRow(lexpr) ? rowOperands(env, item) : [operand(env, item)]));
  const left = typedByItems(compilation, rowOperands(env, lexpr as Node), rows, location);
  const typed = left.filter(isTyped);
  let nullable = false;
  const expr = shared(compilation, typed, (values) => {
    const tested = left.map((one) => {
      const at = typed.indexOf(one as Typed);
      return at < 0 ? one : { ...(one as Typed), expr: values[at] as Typed['expr'] };
    });
    const tests = rows.map((right) =>
      compareRows(compilation, { operator: '=', left: tested, right, location }),
    );
    nullable = tests.some((test) => test.nullable);
    const matches = joined(
      'or',
      tests.map((test) => test.expr),
    );
    return isNegated ? not(matches) : matches;
  });
  return { type: sqlTypes.bool, expr, nullable: canBeNull(expr, nullable) };
}

/** A value without a type gets the common type of the items, not that of the first one. */
function typedByItems(
  compilation: Compilation,
  left: readonly Operand[],
  rows: readonly (readonly Operand[])[],
  location: number | undefined,
): readonly Operand[] {
  const [value] = left;
  const items = rows.flatMap(([item]) => item ?? []);
  if (value === undefined || left.length > 1 || isTyped(value) || !items.some(isTyped)) return left;
  const type = commonTypeOf(compilation, [value, ...items], 'IN', location);
  return [coerce(compilation, value, type, 'implicit')];
}

/** Compiles a long list of constants of one type. Returns `undefined` for another list. */
function longList(
  env: Env,
  { name, lexpr, location }: A_Expr,
  items: readonly Node[],
  wanted: Wanted,
): Typed | undefined {
  if (isRow(lexpr)) return undefined;
  const { compilation } = env;
  const left = operand(env, lexpr as Node);
  const operands: readonly Operand[] = items.map((item) => operand(env, item));
  const compared = operands.map(
    (right) => comparable(compilation, { operator: '=', left, right, location })[1],
  );
  const type =
    compared.map((one) => one.type).find((one) => one.name === 'float8') ?? compared[0]?.type;
  if (type === undefined || compared.some(({ source }) => source === undefined)) return undefined;
  const sources = compared.map((one) => coerce(compilation, one, type, 'implicit').source);
  const rows = () =>
    constantRows(compilation, type, (values) => sources.map((source) => source?.(values) ?? null));
  const isNegated = builtinName(name) === '<>';
  const of = {
    operator: isNegated ? '<>' : '=',
    quantifier: isNegated ? 'all' : 'any',
    left: [left],
    rows,
    location,
  } as const;
  return quantified(compilation, of, wanted);
}
