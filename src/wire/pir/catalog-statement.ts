/** PIR statements that change the catalog at once (pir.md §1.2, §7). Tables and columns are named by stable id. */

import type {
  ColumnDefault,
  ColumnDefinition,
  ForeignKeyDefinition,
  IndexDefinition,
  TableDefinition,
} from '#catalog';
import { closed, identifier, name, optional, ref, tag } from '../schema/shapes.ts';
import { columnId, statementName, tableId } from './statement.ts';

const indexName = name('The name of the index within the table.');
const foreignKeyName = name('The name of the foreign key within the table.');

export const catalogDefinitions = {
  CreateTable: closed('Creates a table.', {
    kind: tag('create_table'),
    name: statementName,
    table: ref<TableDefinition>('TableDefinition'),
  }),
  RenameTable: closed('Renames a table; rows and references stay.', {
    kind: tag('rename_table'),
    name: statementName,
    table_id: tableId,
    to: identifier('The new name.'),
  }),
  DeleteTable: closed('Deletes a table that no other table references.', {
    kind: tag('delete_table'),
    name: statementName,
    table_id: tableId,
  }),
  CreateColumn: closed('Appends a column, which is nullable or has a literal default.', {
    kind: tag('create_column'),
    name: statementName,
    table_id: tableId,
    column: ref<ColumnDefinition>('ColumnDefinition'),
  }),
  RenameColumn: closed('Renames a column everywhere.', {
    kind: tag('rename_column'),
    name: statementName,
    table_id: tableId,
    column_id: columnId,
    to: identifier('The new name.'),
  }),
  ChangeColumnDefault: closed('Sets or removes the default of later created rows.', {
    kind: tag('change_column_default'),
    name: statementName,
    table_id: tableId,
    column_id: columnId,
    default: optional(ref<ColumnDefault>('ColumnDefault', 'The new default; none if absent.')),
  }),
  DeleteColumn: closed('Deletes a column that no key and no index uses.', {
    kind: tag('delete_column'),
    name: statementName,
    table_id: tableId,
    column_id: columnId,
  }),
  CreateIndex: closed('Creates an index and fills it from the existing rows.', {
    kind: tag('create_index'),
    name: statementName,
    table_id: tableId,
    index: ref<IndexDefinition>('IndexDefinition'),
  }),
  DeleteIndex: closed('Deletes an index.', {
    kind: tag('delete_index'),
    name: statementName,
    table_id: tableId,
    index: indexName,
  }),
  CreateForeignKey: closed('Creates a foreign key and validates the existing rows.', {
    kind: tag('create_foreign_key'),
    name: statementName,
    table_id: tableId,
    foreign_key: ref<ForeignKeyDefinition>('ForeignKeyDefinition'),
  }),
  DeleteForeignKey: closed('Deletes a foreign key.', {
    kind: tag('delete_foreign_key'),
    name: statementName,
    table_id: tableId,
    foreign_key: foreignKeyName,
  }),
};
