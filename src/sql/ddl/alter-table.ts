/** ALTER TABLE. */

import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint, Node } from 'libpg-query';
import {
  type Column,
  type ColumnDefault,
  columnByName,
  columnNames,
  foreignKeyByName,
  indexByName,
  type Table,
} from '#catalog';
import { columnType } from '../types/column-type.ts';
import { plainTypeText, typeText } from '../types/registry.ts';
import { typeOfName } from '../types/type-of-name.ts';
import type { CatalogProgram } from './catalog-program.ts';
import { declaredColumn } from './column-definition.ts';
import {
  asConstraintTable,
  type ConstraintTable,
  foreignKey,
  namesIn,
  requireColumns,
  requirePlain,
  uniqueIndex,
} from './constraint.ts';
import { columnDefault } from './default-value.ts';
import { dropColumn } from './drop-column.ts';
import { findTable, requireTable, splitName, writtenText } from './table-name.ts';

export function alterTable(program: CatalogProgram, node: AlterTableStmt): void {
  const { relation = {}, missing_ok, objtype, cmds = [] } = node;
  if (objtype !== 'OBJECT_TABLE') throw program.unsupported('ALTER of this object');
  const found = findTable(program, relation);
  if (found === undefined && missing_ok) {
    const text = `relation "${writtenText(relation)}" does not exist, skipping`;
    program.notice('00000', text);
    return;
  }
  const table = found ?? requireTable(program, relation);
  const alteration: Alteration = { program, table, added: [], dropped: [] };
  for (const command of cmds) {
    if ('AlterTableCmd' in command) alter(alteration, command.AlterTableCmd);
  }
}

interface Alteration {
  readonly program: CatalogProgram;
  readonly table: Table;
  /** Names of the columns that earlier commands of the statement add. */
  readonly added: string[];
  /** Names of the constraints that earlier commands of the statement drop. */
  readonly dropped: string[];
}

function alter(alteration: Alteration, command: AlterTableCmd): void {
  const { program, table } = alteration;
  const { subtype, def, name = '', missing_ok = false } = command;
  switch (subtype) {
    case 'AT_AddColumn':
      addColumn(alteration, (def as { ColumnDef: ColumnDef }).ColumnDef, missing_ok);
      return;
    case 'AT_DropColumn':
      dropColumn(program, table, command);
      return;
    case 'AT_ColumnDefault':
      changeDefault(alteration, name, def);
      return;
    case 'AT_SetNotNull':
    case 'AT_DropNotNull':
      requireNullability(alteration, name, subtype === 'AT_DropNotNull');
      return;
    case 'AT_AlterColumnType':
      requireSameType(alteration, name, (def as { ColumnDef: ColumnDef }).ColumnDef);
      return;
    case 'AT_AddConstraint':
      addConstraint(alteration, (def as { Constraint: Constraint }).Constraint);
      return;
    case 'AT_DropConstraint':
      dropConstraint(alteration, name, missing_ok);
      return;
    default:
      throw program.unsupported(`ALTER TABLE (${(subtype ?? '').replace(/^AT_/, '')})`);
  }
}

function addColumn(alteration: Alteration, node: ColumnDef, isOptional: boolean): void {
  const { program, table, added } = alteration;
  const name = node.colname ?? '';
  if (columnByName(table, name) !== undefined || added.includes(name)) {
    const text = `column "${name}" of relation "${splitName(table.name).name}" already exists`;
    if (!isOptional) throw program.error('42701', text);
    program.notice('42701', `${text}, skipping`);
    return;
  }
  const { definition, keys } = declaredColumn(program, node);
  const { default: given } = definition;
  if (given?.kind !== 'generator') {
    requireFilled(program, name, definition.nullable ?? false, given);
    program.add({ kind: 'create_column', table_id: table.id, column: definition });
  } else if (given.func === 'now_ms') {
    // Existing rows permanently have the time of this statement.
    const id = table.columnIdMax + added.length + 1;
    program.add((value) => ({
      kind: 'create_column',
      table_id: table.id,
      column: { ...definition, id, default: { kind: 'literal', value } },
    }));
    const change = { kind: 'change_column_default', table_id: table.id, column_id: id } as const;
    program.add({ ...change, default: given });
  } else {
    const hint = 'Create another table, and copy the rows into it.';
    throw program.unsupported('adding a column whose values are generated', hint);
  }
  added.push(name);
  for (const key of keys) addKey(alteration, key, [name]);
}

function requireFilled(
  program: CatalogProgram,
  name: string,
  nullable: boolean,
  given: ColumnDefault | undefined,
): void {
  if (nullable || given !== undefined) return;
  const hint = 'Add the column with a default, or as nullable.';
  throw program.unsupported(`adding the column "${name}" as NOT NULL without a default`, hint);
}

function requireColumn({ program, table }: Alteration, name: string): Column {
  const column = columnByName(table, name);
  if (column !== undefined) return column;
  const text = `column "${name}" of relation "${splitName(table.name).name}" does not exist`;
  throw program.error('42703', text);
}

function changeDefault(alteration: Alteration, name: string, node: Node | undefined): void {
  const { program, table } = alteration;
  const column = requireColumn(alteration, name);
  const type = columnType(column, 'timestamptz');
  const given = node && columnDefault(program, node, type, name);
  program.add({
    kind: 'change_column_default',
    table_id: table.id,
    column_id: column.id,
    ...(given !== undefined && { default: given }),
  });
}

function requireNullability(alteration: Alteration, name: string, nullable: boolean): void {
  if (requireColumn(alteration, name).nullable === nullable) return;
  const text = nullable ? 'DROP NOT NULL' : 'SET NOT NULL';
  throw alteration.program.unsupported(text, 'Use a transition (svc schema migrate, or PIR).');
}

function requireSameType(alteration: Alteration, name: string, { typeName = {} }: ColumnDef): void {
  const { program } = alteration;
  const type = columnType(requireColumn(alteration, name), 'timestamptz');
  const wanted = typeOfName(typeName, program.input.text);
  if (type.oid === wanted.oid && type.modifier === wanted.modifier) return;
  throw program.unsupported(
    `changing the type of "${name}" from ${typeText(type)} to ${plainTypeText(wanted)}`,
    'Use a transition (svc schema migrate, or PIR).',
  );
}

function addConstraint(alteration: Alteration, node: Constraint): void {
  const columns = node.contype === 'CONSTR_FOREIGN' ? node.fk_attrs : node.keys;
  addKey(alteration, node, namesIn(columns));
}

function addKey(alteration: Alteration, node: Constraint, columns: readonly string[]): void {
  const { program, table, added } = alteration;
  requirePlain(program, node);
  const known = asConstraintTable(table);
  const target: ConstraintTable = { ...known, columns: [...known.columns, ...added] };
  requireColumns(program, target, columns, node.location);
  if (node.contype === 'CONSTR_FOREIGN') {
    const key = foreignKey(program, target, node, columns);
    requireFree(alteration, key.name, foreignKeyByName(table, key.name));
    program.add({ kind: 'create_foreign_key', table_id: table.id, foreign_key: key });
    return;
  }
  const isPrimary = node.contype === 'CONSTR_PRIMARY';
  const unique = uniqueIndex(target, node, columns);
  const index = isPrimary ? { ...unique, name: primaryKeyName(alteration, columns) } : unique;
  requireFree(alteration, index.name, indexByName(table, index.name));
  program.add({ kind: 'create_index', table_id: table.id, index });
}

/** A key that is added later is a unique index with a name that marks it, because the key of the rows is hidden and cannot change. */
function primaryKeyName(alteration: Alteration, columns: readonly string[]): string {
  const { program, table } = alteration;
  const { name } = splitName(table.name);
  const isHidden = table.columns.some(
    ({ id, format }) => table.primaryKey.includes(id) && format === 'hidden',
  );
  if (!isHidden || indexByName(table, `${name}_pkey`) !== undefined) {
    throw program.error('42P16', `multiple primary keys for table "${name}" are not allowed`);
  }
  const nullable = columns.find((column) => columnByName(table, column)?.nullable !== false);
  if (nullable === undefined) return `${name}_pkey`;
  throw program.unsupported(
    `a primary key of the nullable column "${nullable}"`,
    'Declare the column as NOT NULL in CREATE TABLE.',
  );
}

function requireFree({ program, table, dropped }: Alteration, name: string, found: unknown): void {
  if (found === undefined || dropped.includes(name)) return;
  const text = `constraint "${name}" for relation "${splitName(table.name).name}" already exists`;
  throw program.error('42710', text);
}

function dropConstraint(alteration: Alteration, name: string, isOptional: boolean): void {
  const { program, table, dropped } = alteration;
  dropped.push(name);
  if (foreignKeyByName(table, name) !== undefined) {
    program.add({ kind: 'delete_foreign_key', table_id: table.id, foreign_key: name });
    return;
  }
  if (indexByName(table, name)?.unique === true) {
    program.add({ kind: 'delete_index', table_id: table.id, index: name });
    return;
  }
  const relation = splitName(table.name).name;
  if (name === `${relation}_pkey`) {
    const key = columnNames(table, table.primaryKey).join(', ');
    throw program.unsupported(`dropping the primary key (${key})`, 'Create another table.');
  }
  const text = `constraint "${name}" of relation "${relation}" does not exist`;
  if (!isOptional) throw program.error('42704', text);
  program.notice('00000', `${text}, skipping`);
}
