/** Definitions of the PIR statements that change the catalog immediately (docs/pir.md §6). Tables and columns are named by stable id. */

import type {
  ColumnDefault,
  ColumnDefinition,
  ForeignKeyDefinition,
  IndexDefinition,
  TableDefinition,
} from '#catalog';
import { closed, identifier, name, optional, ref, tag } from '../schema/shapes.ts';
import { columnId, onTable, statementName } from './statement.ts';

const indexName = name('The name of the index within the table.');
const foreignKeyName = name('The name of the foreign key within the table.');

export const catalogDefinitions = {
  CreateTable: closed('Creates a table.', {
    kind: tag('create_table'),
    name: statementName,
    table: ref<TableDefinition>('TableDefinition'),
  }),
  RenameTable: onTable('rename_table', 'Renames a table; rows and references remain unchanged.', {
    to: identifier('The new name.'),
  }),
  DeleteTable: onTable('delete_table', 'Deletes a table that no other table references.', {}),
  CreateColumn: onTable(
    'create_column',
    'Appends a column, which is nullable or has a literal default.',
    { column: ref<ColumnDefinition>('ColumnDefinition') },
  ),
  RenameColumn: onTable('rename_column', 'Renames a column everywhere.', {
    column_id: columnId,
    to: identifier('The new name.'),
  }),
  ChangeColumnDefault: onTable(
    'change_column_default',
    'Sets or removes the default of rows that are created later.',
    {
      column_id: columnId,
      default: optional(ref<ColumnDefault>('ColumnDefault', 'The new default; none if absent.')),
    },
  ),
  DeleteColumn: onTable('delete_column', 'Deletes a column that is not part of any key or index.', {
    column_id: columnId,
  }),
  CreateIndex: onTable('create_index', 'Creates an index and fills it from the existing rows.', {
    index: ref<IndexDefinition>('IndexDefinition'),
  }),
  DeleteIndex: onTable('delete_index', 'Deletes an index.', { index: indexName }),
  CreateForeignKey: onTable(
    'create_foreign_key',
    'Creates a foreign key and validates the existing rows.',
    { foreign_key: ref<ForeignKeyDefinition>('ForeignKeyDefinition') },
  ),
  DeleteForeignKey: onTable('delete_foreign_key', 'Deletes a foreign key.', {
    foreign_key: foreignKeyName,
  }),
};
