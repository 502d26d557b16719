/** Compiles FROM: tables, subqueries, joins. */

import type { Alias, JoinExpr, Node, RangeSubselect, RangeVar } from 'libpg-query';
import { type Column, type Table, tableByName } from '#catalog';
import type { Expression } from '#lir';
import {
  childScope,
  findRelation,
  type Scope,
  type ScopeColumn,
  type ScopeTable,
} from '../scope/scope.ts';
import { columnType } from '../types/column-type.ts';
import { virtualRelation } from '../virtual/virtual-relation.ts';
import { column, truth } from './build.ts';
import type { Compilation } from './compilation.ts';
import { functionPart } from './from-function.ts';
import { virtualPart } from './from-virtual.ts';
import { type FromPart, join, usesAround } from './join.ts';
import { nameParts } from './nodes.ts';
import { draftOf } from './query.ts';
import { instanceOf } from './with.ts';

/** Compiles the list of FROM. Returns `undefined` if there is none. */
export function fromClause(
  compilation: Compilation,
  nodes: readonly Node[] | undefined,
  parent: Scope,
): FromPart | undefined {
  let whole: FromPart | undefined;
  for (const node of nodes ?? []) {
    const part = fromPart(compilation, node, parent, whole);
    whole = whole === undefined ? part : cross(compilation, whole, part);
  }
  return whole;
}

function cross(compilation: Compilation, left: FromPart, right: FromPart): FromPart {
  requireDistinctNames(compilation, left, right);
  const on: Expression = truth(true);
  const join = { kind: 'join', left: left.node, right: right.node, join: 'inner', on } as const;
  return {
    node: compilation.node(join),
    tables: [...left.tables, ...right.tables],
    columns: [...left.columns, ...right.columns],
  };
}

export function requireDistinctNames(
  compilation: Compilation,
  left: FromPart,
  right: FromPart,
): void {
  for (const { name, schema } of right.tables) {
    const same = left.tables.find((one) => one.name === name && one.schema === schema);
    if (same === undefined || name === '') continue;
    throw compilation.error('42712', `table name "${name}" specified more than once`, undefined);
  }
}

/** Compiles one item of FROM. `siblings` are the items to its left, which LATERAL makes visible. */
function fromPart(
  compilation: Compilation,
  node: Node,
  parent: Scope,
  siblings: FromPart | undefined,
): FromPart {
  if ('RangeVar' in node) return tablePart(compilation, node.RangeVar, parent);
  if ('RangeSubselect' in node) {
    return subqueryPart(compilation, node.RangeSubselect, parent, siblings);
  }
  if ('JoinExpr' in node) return joinPart(compilation, node.JoinExpr, parent, siblings);
  if ('RangeFunction' in node) return functionPart(compilation, node.RangeFunction, parent);
  if ('RangeTableSample' in node) throw compilation.unsupported('TABLESAMPLE', undefined);
  throw compilation.unsupported('this item of FROM', undefined);
}

function tablePart(compilation: Compilation, range: RangeVar, parent: Scope): FromPart {
  const { relname = '', schemaname, alias, location } = range;
  const relation = schemaname === undefined ? findRelation(parent, relname) : undefined;
  if (relation !== undefined) {
    const { node, columns } = instanceOf(compilation, relation, location);
    return named(compilation, { node, columns }, alias ?? { aliasname: relname });
  }
  const virtual = virtualRelation(schemaname, relname);
  if (virtual !== undefined) {
    const part = virtualPart(compilation, virtual);
    return named(compilation, part, alias ?? { aliasname: relname });
  }
  const table = tableOf(compilation, range);
  return scanPart(compilation, table, range);
}

/** Reads a table under its name or its alias. */
export function scanPart(compilation: Compilation, table: Table, range: RangeVar): FromPart {
  const { relname = '', schemaname, alias } = range;
  const scope = compilation.name('s');
  const node = compilation.node({ kind: 'scan', table: table.name, scope });
  const columns = table.columns.map((one) => scopeColumn(compilation, table, one, scope));
  const part = named(compilation, { node, columns }, alias ?? { aliasname: relname });
  const schema = alias === undefined ? (schemaname ?? schemaOf(table)) : undefined;
  const tables = part.tables.map((one) => ({ ...one, table, schema }));
  return { ...part, tables };
}

function schemaOf({ name }: Table): string {
  const dot = name.indexOf('.');
  return dot < 0 ? 'public' : name.slice(0, dot);
}

/** The format of columns that `*` leaves out. */
const hiddenFormat = 'hidden';

function scopeColumn(
  compilation: Compilation,
  table: Table,
  one: Column,
  scope: string,
): ScopeColumn {
  return {
    name: one.name,
    expr: column(scope, one.name),
    type: columnType(one, compilation.input.setting.unixMs),
    nullable: one.nullable,
    tableId: table.id,
    columnId: one.id,
    ...(one.format === hiddenFormat && { isHidden: true }),
  };
}

/** Finds a table by its name, in the schemas of the search path. */
export function tableOf(compilation: Compilation, range: RangeVar): Table {
  const { relname = '', schemaname, location } = range;
  const { catalog, searchPath } = compilation.input.setting;
  const schemas = schemaname === undefined ? searchPath : [schemaname];
  for (const schema of schemas) {
    const found = tableByName(catalog, schema === 'public' ? relname : `${schema}.${relname}`);
    if (found !== undefined) return found;
  }
  const name = schemaname === undefined ? relname : `${schemaname}.${relname}`;
  throw compilation.error('42P01', `relation "${name}" does not exist`, location);
}

function subqueryPart(
  compilation: Compilation,
  { subquery, alias, lateral }: RangeSubselect,
  parent: Scope,
  siblings: FromPart | undefined,
): FromPart {
  if (subquery === undefined || !('SelectStmt' in subquery)) {
    throw compilation.unsupported('this subquery of FROM', undefined);
  }
  const isDependent = lateral === true && siblings !== undefined;
  const scope = isDependent ? childScope(parent, siblings) : parent;
  const query = draftOf(compilation, subquery.SelectStmt, scope).finish();
  if (isDependent && scope.uses.count > 0) {
    throw compilation.unsupported('LATERAL', undefined, 'Use a subquery as an expression.');
  }
  return named(compilation, query, alias ?? { aliasname: '' });
}

/** Gives the columns of a relation the names of an alias. */
function named(
  compilation: Compilation,
  { node, columns }: { readonly node: string; readonly columns: readonly ScopeColumn[] },
  { aliasname = '', colnames }: Alias,
): FromPart {
  const names = nameParts(colnames);
  const available = columns.filter((one) => !one.isHidden).length;
  if (names.length > available) {
    const message = `table "${aliasname}" has ${available} columns available but ${names.length} columns specified`;
    throw compilation.error('42P10', message, undefined);
  }
  const renamed = columns.map((one, at) => ({ ...one, name: names[at] ?? one.name }));
  const table: ScopeTable = { name: aliasname, columns: renamed };
  return { node, tables: [table], columns: renamed };
}

function joinPart(
  compilation: Compilation,
  expr: JoinExpr,
  parent: Scope,
  siblings: FromPart | undefined,
): FromPart {
  const before = usesAround(parent);
  const left = fromPart(compilation, expr.larg as Node, parent, siblings);
  const around =
    siblings === undefined
      ? left
      : {
          ...left,
          tables: [...siblings.tables, ...left.tables],
          columns: [...siblings.columns, ...left.columns],
        };
  const right = fromPart(compilation, expr.rarg as Node, parent, around);
  requireDistinctNames(compilation, left, right);
  const isDependent = usesAround(parent) !== before;
  const joined = join(compilation, expr, { left, right, parent, isDependent });
  if (expr.alias === undefined) return joined;
  return named(compilation, joined, expr.alias);
}
