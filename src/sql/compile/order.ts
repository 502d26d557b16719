/** ORDER BY. */

import type { Node, SelectStmt, SortBy } from 'libpg-query';
import type { OrderTerm as LirTerm } from '#lir';
import { plainTypeText } from '../types/registry.ts';
import type { Compilation, Env, Typed } from './compilation.ts';
import { expression } from './expression.ts';
import { locationOf, nameParts } from './nodes.ts';
import { ordinalOf } from './ordinal.ts';
import type { Output } from './query.ts';
import { pinLiterals, treeKey } from './tree-key.ts';

export interface OrderTerm {
  /** Index of the column of the result that is the term; `undefined` for another expression, which is `of`. */
  readonly output: number | undefined;
  readonly of: Typed | undefined;
  readonly isDescending: boolean;
  readonly isNullsFirst: boolean;
  readonly location: number | undefined;
}

/** Compiles the terms. A name is first that of a column of the result. */
export function orderTerms(
  env: Env,
  { sortClause, targetList }: SelectStmt,
  outputs: readonly Output[],
): readonly OrderTerm[] {
  const keys = new Map<string, number>();
  if (sortClause !== undefined && outputs.length === targetList?.length) {
    for (const [at, target] of targetList.entries()) {
      const value = 'ResTarget' in target ? target.ResTarget.val : undefined;
      const key = value && treeKey(env, value);
      if (key !== undefined && !keys.has(key)) keys.set(key, at);
    }
  }
  return (sortClause ?? []).map((node) => {
    const sort = sortOf(env.compilation, node);
    const output = outputOf(env.compilation, sort.node as Node, outputs);
    const known = output ?? keys.get(treeKey(env, sort.node as Node));
    if (output === undefined && known !== undefined) {
      pinLiterals(env.compilation, (targetList as Node[])[known] as Node);
    }
    return {
      output: known,
      of: known === undefined ? expression(env, sort.node as Node) : undefined,
      ...directionOf(sort),
      location: locationOf(sort.node),
    };
  });
}

function sortOf(compilation: Compilation, node: Node): SortBy {
  const sort = 'SortBy' in node ? node.SortBy : {};
  if (sort.useOp !== undefined) {
    throw compilation.unsupported('ORDER BY … USING', sort.location, 'Use ASC or DESC.');
  }
  return sort;
}

function directionOf({ sortby_dir, sortby_nulls }: SortBy) {
  const isDescending = sortby_dir === 'SORTBY_DESC';
  const isNullsFirst =
    sortby_nulls === 'SORTBY_NULLS_FIRST' || (sortby_nulls !== 'SORTBY_NULLS_LAST' && isDescending);
  return { isDescending, isNullsFirst };
}

/** Finds the column of the result that an ordinal or a name refers to. */
function outputOf(
  compilation: Compilation,
  node: Node,
  outputs: readonly Output[],
): number | undefined {
  const ordinal = ordinalOf(compilation, node, 'ORDER BY', outputs.length);
  if (ordinal !== undefined) return ordinal;
  const parts = 'ColumnRef' in node ? nameParts(node.ColumnRef.fields) : [];
  if (parts.length !== 1) return undefined;
  const named = outputs.flatMap(({ name }, at) => (name === parts[0] ? [at] : []));
  const [first] = named;
  if (first === undefined) return undefined;
  const expr = (at: number) => JSON.stringify((outputs[at] as Output).operand);
  if (named.some((at) => expr(at) !== expr(first))) {
    throw compilation.error('42702', `ORDER BY "${parts[0]}" is ambiguous`, locationOf(node));
  }
  return first;
}

/** Compiles the terms of a query whose columns alone can be referred to, as those of UNION. */
export function orderTermsOfColumns(
  compilation: Compilation,
  { sortClause }: SelectStmt,
  columns: readonly (Typed & { readonly name: string })[],
): readonly LirTerm[] {
  const outputs = columns.map((one) => ({ name: one.name, operand: one }));
  return (sortClause ?? []).map((node) => {
    const sort = sortOf(compilation, node);
    const at = outputOf(compilation, sort.node as Node, outputs);
    if (at === undefined) return refuseTerm(compilation, sort.node as Node);
    const location = locationOf(sort.node);
    return termOf(compilation, {
      output: at,
      of: columns[at] as Typed,
      ...directionOf(sort),
      location,
    });
  });
}

function refuseTerm(compilation: Compilation, node: Node): never {
  const parts = 'ColumnRef' in node ? nameParts(node.ColumnRef.fields) : [];
  if (parts.length === 1) {
    throw compilation.error('42703', `column "${parts[0]}" does not exist`, locationOf(node));
  }
  throw compilation.error(
    '0A000',
    'invalid UNION/INTERSECT/EXCEPT ORDER BY clause',
    locationOf(node),
    {
      detail: 'Only result column names can be used, not expressions or functions.',
      hint: 'Add the expression/function to every SELECT, or move the UNION into a FROM clause.',
    },
  );
}

/** Makes a term of LIR. In LIR, NULLs come first in ascending order unless the term says otherwise. */
export function termOf(
  compilation: Compilation,
  { of, isDescending, isNullsFirst, location }: OrderTerm,
): LirTerm {
  const { expr, nullable } = of as Typed;
  requireOrder(compilation, of as Typed, location);
  const nulls = nullable && isNullsFirst === isDescending;
  return {
    expr,
    ...(isDescending && { desc: true }),
    ...(nulls && { nulls: isNullsFirst ? 'first' : 'last' }),
  } as LirTerm;
}

/** Throws for a type whose values have no order. */
function requireOrder(
  compilation: Compilation,
  { type }: Typed,
  location: number | undefined,
): void {
  if (type.name === 'json') {
    const message = 'could not identify an ordering operator for type json';
    throw compilation.error('42883', message, location, {
      hint: 'Use an explicit ordering operator or modify the query.',
    });
  }
  if (type.name === 'jsonb' || type.element !== undefined) {
    throw compilation.unsupported(`an order of values of type ${plainTypeText(type)}`, location);
  }
}
