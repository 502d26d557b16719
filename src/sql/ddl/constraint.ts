/** Keys, unique constraints and foreign keys. */

import type { Constraint, Node } from 'libpg-query';
import type { ForeignKeyAction, ForeignKeyDefinition, IndexDefinition, Table } from '#catalog';
import { columnNames } from '#catalog';
import { stringOf } from '../statements/node.ts';
import type { CatalogProgram } from './catalog-program.ts';
import { newTableName, requireTable, splitName, writtenText } from './table-name.ts';

const keyKinds: readonly (string | undefined)[] = [
  'CONSTR_PRIMARY',
  'CONSTR_UNIQUE',
  'CONSTR_FOREIGN',
];

export function isPartOfKey({ contype }: Constraint): boolean {
  return keyKinds.includes(contype);
}

/** The table of a constraint, which may not exist yet. */
export interface ConstraintTable {
  /** Name in the catalog. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
}

export function namesIn(nodes: readonly Node[] | undefined): readonly string[] {
  return (nodes ?? []).map((node) => stringOf(node) ?? '');
}

export function noteDeferrable(program: CatalogProgram): void {
  program.notice('01000', 'DEFERRABLE has no effect: constraints are checked by each statement');
}

/** Throws if a constraint has a part that svc does not have. */
export function requirePlain(program: CatalogProgram, node: Constraint): void {
  const { location } = node;
  if (node.deferrable || node.initdeferred) noteDeferrable(program);
  if (node.contype === 'CONSTR_EXCLUSION') {
    throw program.unsupported('EXCLUDE', undefined, location);
  }
  if (!isPartOfKey(node)) {
    throw program.unsupported('a CHECK constraint', 'Check values in the client.', location);
  }
  if (node.indexname !== undefined) {
    throw program.unsupported('USING INDEX', 'Name the columns of the constraint.', location);
  }
  if (node.nulls_not_distinct) throw program.unsupported('NULLS NOT DISTINCT', undefined, location);
  if ((node.including ?? []).length > 0) throw program.unsupported('INCLUDE', undefined, location);
  if (node.without_overlaps) throw program.unsupported('WITHOUT OVERLAPS', undefined, location);
}

/** Throws if a column does not exist. */
export function requireColumns(
  program: CatalogProgram,
  table: ConstraintTable,
  names: readonly string[],
  location: number | undefined,
): void {
  for (const name of names) {
    if (table.columns.includes(name)) continue;
    throw program.error('42703', `column "${name}" named in key does not exist`, {
      location: location ?? 0,
    });
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw program.error('42701', `column "${repeated}" appears twice in a constraint`, {
    location: location ?? 0,
  });
}

/** `columns` are those of the constraint. */
export function uniqueIndex(
  table: ConstraintTable,
  node: Constraint,
  columns: readonly string[],
): IndexDefinition {
  return { name: node.conname ?? defaultName(table, columns, 'key'), columns, unique: true };
}

/** Returns the name that PostgreSQL gives to an index or a constraint. */
export function defaultName(
  { name }: Pick<ConstraintTable, 'name'>,
  columns: readonly string[],
  suffix: 'key' | 'idx' | 'fkey',
): string {
  return [splitName(name).name, ...columns, suffix].join('_');
}

const actions: Readonly<Record<string, ForeignKeyAction>> = {
  a: 'no_action',
  r: 'restrict',
  c: 'cascade',
  n: 'set_null',
};

export function foreignKey(
  program: CatalogProgram,
  table: ConstraintTable,
  node: Constraint,
  columns: readonly string[],
): ForeignKeyDefinition {
  const { pktable = {}, fk_upd_action = 'a', fk_del_action = 'a', location } = node;
  const isUpdated = fk_upd_action !== 'a' && fk_upd_action !== 'r';
  if (isUpdated) {
    throw program.unsupported('ON UPDATE', 'Primary keys never change: leave it out.', location);
  }
  const action = actions[fk_del_action];
  if (action === undefined || (node.fk_del_set_cols ?? []).length > 0) {
    throw program.unsupported('ON DELETE SET DEFAULT and lists of columns', undefined, location);
  }
  if (node.fk_matchtype !== 's' && columns.length > 1) {
    throw program.unsupported('MATCH FULL', undefined, location);
  }
  const isOwn = newTableName(program, pktable) === table.name;
  const target = isOwn ? table : asConstraintTable(requireTable(program, pktable));
  const given = namesIn(node.pk_attrs);
  const referenced = given.length === 0 ? target.primaryKey : given;
  if (referenced.length !== columns.length) {
    throw program.error(
      '42830',
      'number of referencing and referenced columns for foreign key disagree',
      { location: location ?? 0 },
    );
  }
  requireColumns(program, target, referenced, location);
  const order = target.primaryKey.map((name) => referenced.indexOf(name));
  if (order.length !== columns.length || order.includes(-1)) {
    throw program.unsupported(
      `a foreign key to columns other than the primary key of "${writtenText(pktable)}"`,
      'Reference the primary key.',
      location,
    );
  }
  return {
    name: node.conname ?? defaultName(table, columns, 'fkey'),
    columns: order.map((index) => columns[index] as string),
    ref_table: target.name,
    ref_columns: target.primaryKey,
    on_delete: action,
  };
}

export function asConstraintTable(table: Table): ConstraintTable {
  return {
    name: table.name,
    columns: table.columns.map(({ name }) => name),
    primaryKey: columnNames(table, table.primaryKey),
  };
}
