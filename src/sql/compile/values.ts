/** VALUES. */

import type { Node, SelectStmt } from 'libpg-query';
import type { Expression } from '#lir';
import type { Row } from '#value';
import type { StatementValues } from '../compiled.ts';
import { childScope, type Scope, type ScopeColumn } from '../scope/scope.ts';
import { sqlTypes } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { column, oneRow } from './build.ts';
import { coerce } from './coerce.ts';
import { commonTypeOf } from './common-type.ts';
import { type Compilation, type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import { operand } from './expression.ts';
import { lateRows } from './late.ts';
import { sliced } from './limit.ts';
import { itemsOf } from './nodes.ts';
import { orderTermsOfColumns } from './order.ts';
import type { CompiledQuery, Draft, Output } from './query.ts';

export function valuesList(compilation: Compilation, stmt: SelectStmt, parent: Scope): Draft {
  const env: Env = { compilation, scope: childScope(parent), clause: 'VALUES' };
  const rows = (stmt.valuesLists ?? []).map((list: Node) =>
    itemsOf(list).map((item) => operand(env, item)),
  );
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width)) {
    throw compilation.error('42601', 'VALUES lists must all be the same length', undefined);
  }
  const outputs = Array.from({ length: width }, (_, at): Output => {
    const operands = rows.map((row) => row[at] as Operand);
    const isUntyped = operands.every((one) => !isTyped(one));
    if (isUntyped) return { name: `column${at + 1}`, operand: operands[0] as Operand };
    const type = commonTypeOf(compilation, operands, 'VALUES', undefined);
    const typed = coerce(compilation, compilation.constant(type, null), type, 'implicit');
    return { name: `column${at + 1}`, operand: { ...typed, source: undefined } };
  });
  return {
    outputs,
    finish: (types = []) => {
      const columnTypes = outputs.map(
        ({ operand: one }, at) => types[at] ?? (isTyped(one) ? one.type : sqlTypes.text),
      );
      const typed = rows.map((row) =>
        row.map((one, at) => coerce(compilation, one, columnTypes[at] as SqlType, 'implicit')),
      );
      return finished(compilation, stmt, valuesRows(compilation, typed, columnTypes));
    },
  };
}

interface ValuesRows {
  readonly node: string;
  readonly columns: readonly ScopeColumn[];
}

/** Makes a relation of rows of expressions. Rows that are known before the statement runs are a single parameter of its plan. */
function valuesRows(
  compilation: Compilation,
  rows: readonly (readonly Typed[])[],
  types: readonly SqlType[],
): ValuesRows {
  const scope = compilation.name('s');
  const isKnown = rows.every((row) => row.every(({ source }) => source !== undefined));
  const nullable = types.map((_, at) => rows.some((row) => (row[at] as Typed).nullable));
  const columns = types.map((type, at) => ({
    name: `column${at + 1}`,
    expr: column(scope, `c${at + 1}`),
    type,
    nullable: nullable[at] as boolean,
  }));
  if (!isKnown) return { node: computedRows(compilation, rows, scope), columns };
  const declared = types.map((type, at) => ({
    name: `c${at + 1}`,
    type: type.stored,
    nullable: nullable[at] as boolean,
  }));
  const source = (values: StatementValues) =>
    rows.map((row) => row.map((one) => one.source?.(values) ?? null) as Row);
  const node = compilation.node({ kind: 'rows', scope, columns: declared, rows: [] }, () =>
    lateRows(scope, declared, source),
  );
  return { node, columns };
}

function computedRows(
  compilation: Compilation,
  rows: readonly (readonly Typed[])[],
  scope: string,
): string {
  const single = rows.length === 1;
  const inputs = rows.map((row) => {
    const fields = row.map(({ expr }, at) => ({ as: `c${at + 1}`, expr: expr as Expression }));
    const input = oneRow(compilation);
    return compilation.node({ kind: 'project', input, fields, ...(single && { scope }) });
  });
  if (single) return inputs[0] as string;
  return compilation.node({ kind: 'concatenate', inputs, scope });
}

/** Orders and cuts rows whose columns alone can be referred to. */
export function finished(
  compilation: Compilation,
  stmt: SelectStmt,
  { node, columns }: ValuesRows,
): CompiledQuery {
  const terms = orderTermsOfColumns(compilation, stmt, columns);
  const ordered =
    terms.length === 0 ? node : compilation.node({ kind: 'order', input: node, terms });
  const cut = sliced(compilation, stmt, { node: ordered, isOrdered: terms.length > 0 });
  return { ...cut, columns, isSingle: false };
}
