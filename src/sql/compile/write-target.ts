/** The table that a statement changes. */

import type { Node, RangeVar } from 'libpg-query';
import { type Column, columnOrdinal, type Table } from '#catalog';
import type { Expression, Field } from '#lir';
import type { ScopeTable } from '../scope/scope.ts';
import { columnType } from '../types/column-type.ts';
import type { SqlType } from '../types/sql-type.ts';
import { column as columnReference } from './build.ts';
import type { Compilation } from './compilation.ts';
import { tableOf } from './from.ts';

export interface TargetColumn {
  readonly column: Column;
  readonly type: SqlType;
}

export interface Target {
  readonly table: Table;
  /** The name by which expressions refer to the table. */
  readonly name: string;
  /** The columns that SQL shows, in catalog order. */
  readonly columns: readonly TargetColumn[];
  /** Names of the columns of the primary key. */
  readonly key: readonly string[];
}

export function targetOf(compilation: Compilation, relation: RangeVar | undefined): Target {
  const table = tableOf(compilation, relation ?? {});
  const { unixMs } = compilation.input.setting;
  return {
    table,
    name: relation?.alias?.aliasname ?? relation?.relname ?? '',
    columns: table.columns
      .filter(({ format }) => format !== 'hidden')
      .map((column) => ({ column, type: columnType(column, unixMs) })),
    key: table.primaryKey.map((id) => table.columns[columnOrdinal(table, id)]?.name ?? ''),
  };
}

/** Finds a column by the name in a list of columns or in SET. */
function targetColumn(
  compilation: Compilation,
  { table, columns }: Target,
  name: string,
  location: number | undefined,
): TargetColumn {
  const found = columns.find(({ column }) => column.name === name);
  if (found !== undefined) return found;
  const message = `column "${name}" of relation "${table.name}" does not exist`;
  throw compilation.error('42703', message, location);
}

/** Returns the columns that a list names. Throws if it names one twice. */
export function targetColumns(
  compilation: Compilation,
  target: Target,
  list: readonly Node[],
): readonly TargetColumn[] {
  const seen = new Set<string>();
  return list.map((node) => {
    const { name = '', indirection, location } = 'ResTarget' in node ? node.ResTarget : {};
    if (indirection !== undefined) {
      throw compilation.unsupported('an assignment to a part of a column', location);
    }
    if (seen.has(name)) {
      throw compilation.error('42701', `column "${name}" specified more than once`, location);
    }
    seen.add(name);
    return targetColumn(compilation, target, name, location);
  });
}

/** Returns the table as expressions see it, with its columns read from a scope of LIR. */
export function scopeTableOf(target: Target, scope: string, name = target.name): ScopeTable {
  return {
    name,
    table: target.table,
    columns: target.columns.map(({ column, type }) => ({
      name: column.name,
      expr: columnReference(scope, column.name),
      type,
      nullable: column.nullable,
      tableId: target.table.id,
      columnId: column.id,
    })),
  };
}

/** Returns the fields that identify the rows of the table. */
export function keyFields({ key }: Target, scope: string): readonly Field[] {
  return key.map((name) => ({ as: name, expr: columnReference(scope, name) }));
}

export function field(as: string, expr: Expression): Field {
  return { as, expr };
}
