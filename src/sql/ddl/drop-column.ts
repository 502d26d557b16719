/** ALTER TABLE … DROP COLUMN. */

import type { AlterTableCmd } from 'libpg-query';
import { columnByName, type Table } from '#catalog';
import type { CatalogProgram } from './catalog-program.ts';
import { splitName } from './table-name.ts';

/** The indexes and the foreign keys of the table that contain the column go with it, as in PostgreSQL. */
export function dropColumn(program: CatalogProgram, table: Table, command: AlterTableCmd): void {
  const { name = '', missing_ok } = command;
  const column = columnByName(table, name);
  if (column === undefined) {
    const text = `column "${name}" of relation "${splitName(table.name).name}" does not exist`;
    if (!missing_ok) throw program.error('42703', text);
    program.notice('00000', `${text}, skipping`);
    return;
  }
  if (table.primaryKey.includes(column.id)) {
    const hint = 'Create another table, and copy the rows into it.';
    throw program.unsupported(`dropping the column "${name}" of the primary key`, hint);
  }
  for (const foreignKey of table.foreignKeys) {
    if (!foreignKey.columns.includes(column.id)) continue;
    const { name: key } = foreignKey;
    program.add({ kind: 'delete_foreign_key', table_id: table.id, foreign_key: key });
  }
  for (const index of table.indexes) {
    if (!index.columns.includes(column.id)) continue;
    program.add({ kind: 'delete_index', table_id: table.id, index: index.name });
  }
  program.add({ kind: 'delete_column', table_id: table.id, column_id: column.id });
}
