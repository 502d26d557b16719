/** CREATE TABLE. */

import type { ColumnDef, Constraint, CreateStmt } from 'libpg-query';
import {
  type ColumnDefinition,
  type ForeignKeyDefinition,
  type IndexDefinition,
  tableByName,
} from '#catalog';
import type { CatalogProgram } from './catalog-program.ts';
import { type DeclaredColumn, declaredColumn } from './column-definition.ts';
import {
  type ConstraintTable,
  foreignKey,
  namesIn,
  requireColumns,
  requirePlain,
  uniqueIndex,
} from './constraint.ts';
import { isSystemSchema, newTableName, splitName } from './table-name.ts';

/** The key of a table that declares none. The format hides the column. */
const hiddenKey: ColumnDefinition = {
  name: 'svc_rowid',
  type: 'int64',
  format: 'hidden',
  default: { kind: 'generator', func: 'increment' },
};

export function createTable(program: CatalogProgram, node: CreateStmt): void {
  requireSupported(program, node);
  const name = newTableName(program, node.relation ?? {});
  if (tableByName(program.setting.catalog, name) !== undefined) {
    const text = `relation "${splitName(name).name}" already exists`;
    if (!node.if_not_exists) throw program.error('42P07', text);
    program.notice('42P07', `${text}, skipping`);
    return;
  }
  const columns: DeclaredColumn[] = [];
  const constraints: Constraint[] = [];
  for (const element of node.tableElts ?? []) {
    if ('ColumnDef' in element) columns.push(addedColumn(program, element.ColumnDef, columns));
    else if ('Constraint' in element) constraints.push(element.Constraint);
    else throw program.unsupported('LIKE', 'Name the columns.');
  }
  const keys = [...columns.flatMap(keysOfColumn), ...constraints.map(keyOfTable)];
  for (const { node: key } of keys) requirePlain(program, key);
  program.add({ kind: 'create_table', table: tableOf(program, name, columns, keys) });
}

function addedColumn(
  program: CatalogProgram,
  node: ColumnDef,
  before: readonly DeclaredColumn[],
): DeclaredColumn {
  if (before.some(({ definition }) => definition.name === node.colname)) {
    throw program.error('42701', `column "${node.colname}" specified more than once`);
  }
  return declaredColumn(program, node);
}

interface Key {
  readonly node: Constraint;
  readonly columns: readonly string[];
}

function keysOfColumn({ definition, keys }: DeclaredColumn): readonly Key[] {
  return keys.map((node) => ({ node, columns: [definition.name] }));
}

function keyOfTable(node: Constraint): Key {
  return { node, columns: namesIn(node.contype === 'CONSTR_FOREIGN' ? node.fk_attrs : node.keys) };
}

function tableOf(
  program: CatalogProgram,
  name: string,
  declared: readonly DeclaredColumn[],
  keys: readonly Key[],
) {
  const of = (kind: Constraint['contype']) => keys.filter(({ node }) => node.contype === kind);
  const [primary, another] = of('CONSTR_PRIMARY');
  if (another !== undefined) {
    const text = `multiple primary keys for table "${splitName(name).name}" are not allowed`;
    throw program.error('42P16', text, { location: another.node.location ?? 0 });
  }
  const primaryKey = primary?.columns ?? [hiddenKey.name];
  const columns = declared.map(({ definition }) =>
    primaryKey.includes(definition.name) ? { ...definition, nullable: false } : definition,
  );
  const names = columns.map((column) => column.name);
  const table: ConstraintTable = { name, columns: names, primaryKey };
  for (const key of keys) requireColumns(program, table, key.columns, key.node.location);
  const indexes = of('CONSTR_UNIQUE').map((key) => uniqueIndex(table, key.node, key.columns));
  const foreignKeys = of('CONSTR_FOREIGN').map((key) =>
    foreignKey(program, table, key.node, key.columns),
  );
  return {
    name,
    columns: primary === undefined ? [...columns, hiddenKey] : columns,
    primary_key: primaryKey,
    indexes: distinctNames(indexes),
    foreign_keys: distinctNames(foreignKeys),
  };
}

/** Generated names that are equal get a number, as in PostgreSQL. */
function distinctNames<Item extends IndexDefinition | ForeignKeyDefinition>(
  items: readonly Item[],
): readonly Item[] {
  const names = new Set<string>();
  return items.map((item) => {
    let { name } = item;
    for (let number = 1; names.has(name); number++) name = `${item.name}${number}`;
    names.add(name);
    return { ...item, name };
  });
}

function requireSupported(program: CatalogProgram, node: CreateStmt): void {
  const { relation = {}, inhRelations = [], partspec, partbound, ofTypename } = node;
  if (relation.relpersistence === 't') {
    throw program.unsupported('a temporary table', 'Use WITH in the query.', relation.location);
  }
  if (relation.relpersistence === 'u') {
    program.notice('01000', 'UNLOGGED has no effect: every commit is durable');
  }
  if (isSystemSchema(relation.schemaname ?? '')) {
    const text = `permission denied to create "${relation.schemaname}.${relation.relname}"`;
    throw program.error('42501', text);
  }
  if (partspec !== undefined || partbound !== undefined) {
    throw program.unsupported('PARTITION', 'Create one table.');
  }
  if (inhRelations.length > 0) throw program.unsupported('INHERITS', 'Name the columns.');
  if (ofTypename !== undefined) throw program.unsupported('CREATE TABLE OF', 'Name the columns.');
  const { tablespacename = 'pg_default' } = node;
  if (tablespacename !== 'pg_default') throw program.unsupported('TABLESPACE', 'Leave it out.');
}
