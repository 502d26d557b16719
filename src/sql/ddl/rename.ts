/** ALTER TABLE … RENAME. */

import type { RenameStmt } from 'libpg-query';
import { columnByName, tableByName } from '#catalog';
import type { CatalogProgram } from './catalog-program.ts';
import { catalogName, findTable, requireNewName, requireTable, splitName } from './table-name.ts';

export function rename(program: CatalogProgram, node: RenameStmt): void {
  const { renameType, relation = {}, subname = '', newname = '', missing_ok } = node;
  const isColumn = renameType === 'OBJECT_COLUMN';
  if (!isColumn && renameType !== 'OBJECT_TABLE') {
    const hint = 'Rename tables and columns only. Indexes and constraints are dropped and created.';
    throw program.unsupported('RENAME of this object', hint);
  }
  if (missing_ok && findTable(program, relation) === undefined) {
    program.notice('00000', `relation "${relation.relname}" does not exist, skipping`);
    return;
  }
  const table = requireTable(program, relation);
  const split = splitName(table.name);
  if (!isColumn) {
    requireNewName(program, newname);
    const to = catalogName(split.schema, newname);
    if (tableByName(program.setting.catalog, to) !== undefined) {
      throw program.error('42P07', `relation "${newname}" already exists`);
    }
    program.add({ kind: 'rename_table', table_id: table.id, to });
    return;
  }
  const column = columnByName(table, subname);
  if (column === undefined) throw program.error('42703', `column "${subname}" does not exist`);
  if (columnByName(table, newname) !== undefined) {
    const text = `column "${newname}" of relation "${split.name}" already exists`;
    throw program.error('42701', text);
  }
  program.add({ kind: 'rename_column', table_id: table.id, column_id: column.id, to: newname });
}
