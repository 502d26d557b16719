/** Compiles queries: SELECT, VALUES, set operations, and WITH before them. */

import type { Node, SelectStmt } from 'libpg-query';
import type { Scope, ScopeColumn } from '../scope/scope.ts';
import type { SqlType } from '../types/sql-type.ts';
import { column, integer } from './build.ts';
import { coerce } from './coerce.ts';
import type { Compilation, Env, Operand } from './compilation.ts';
import { select } from './select.ts';
import { setOperation } from './set-operation.ts';
import { valuesList } from './values.ts';
import { withRelations } from './with.ts';

/** A compiled query. Its columns are those of the node, in order; a node may have more. */
export interface CompiledQuery {
  readonly node: string;
  readonly columns: readonly ScopeColumn[];
  /** Whether the rows have an order. */
  readonly isOrdered: boolean;
  /** Whether there is at most one row in any case. */
  readonly isSingle: boolean;
}

/** A query whose columns may still get a type from their context. */
export interface Draft {
  readonly outputs: readonly Output[];
  /** Completes the query, and converts its columns to these types. A column without a type is text by default. */
  finish(types?: readonly (SqlType | undefined)[]): CompiledQuery;
}

export interface Output {
  readonly name: string;
  readonly operand: Operand;
}

interface QueryNeeds {
  /** Whether the rows must have an order, whichever it is. */
  readonly isOrdered?: boolean;
}

/** Compiles a subquery of an expression. */
export function queryOf(env: Env, node: Node, needs: QueryNeeds = {}): CompiledQuery {
  const { compilation, scope } = env;
  if (!('SelectStmt' in node)) throw compilation.unsupported('a subquery that writes', undefined);
  const query = draftOf(compilation, node.SelectStmt, scope).finish();
  return needs.isOrdered ? anyOrder(compilation, query) : query;
}

/** Compiles a query within a scope. */
export function draftOf(
  compilation: Compilation,
  stmt: SelectStmt,
  parent: Scope | undefined,
): Draft {
  return compilation.nested(() => {
    const scope = withRelations(compilation, stmt.withClause, parent);
    if (stmt.intoClause !== undefined) {
      throw compilation.unsupported('SELECT INTO', undefined, 'Use INSERT … SELECT.');
    }
    if (stmt.valuesLists !== undefined) return valuesList(compilation, stmt, scope);
    if (stmt.op !== undefined && stmt.op !== 'SETOP_NONE') {
      return setOperation(compilation, stmt, scope);
    }
    return select(compilation, stmt, scope);
  });
}

/** Orders the rows of a query without an order by a constant, because LIR demands an order for offsets and arrays. */
function anyOrder(compilation: Compilation, query: CompiledQuery): CompiledQuery {
  if (query.isOrdered) return query;
  return { ...query, node: someOrder(compilation, query.node), isOrdered: true };
}

export function someOrder(compilation: Compilation, input: string): string {
  return compilation.node({ kind: 'order', input, terms: [{ expr: integer(0) }] });
}

/** Converts the columns of a finished query. */
export function retyped(
  compilation: Compilation,
  query: CompiledQuery,
  types: readonly (SqlType | undefined)[] = [],
): CompiledQuery {
  const isSame = query.columns.every(({ type }, at) => (types[at] ?? type) === type);
  if (isSame) return query;
  const scope = compilation.name('s');
  const typed = query.columns.map((one, at) =>
    coerce(compilation, one, types[at] ?? one.type, 'implicit'),
  );
  const fields = typed.map(({ expr }, at) => ({ as: `c${at + 1}`, expr }));
  const node = compilation.node({ kind: 'project', input: query.node, scope, fields });
  const columns = typed.map(({ type, nullable }, at) => ({
    name: (query.columns[at] as ScopeColumn).name,
    expr: column(scope, `c${at + 1}`),
    type,
    nullable,
  }));
  return { ...query, node, columns };
}
