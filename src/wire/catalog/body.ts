/** Definitions of the bodies of the catalog endpoints (docs/http.md). The shape of a default differs from that of PIR. */

import { type Static, Type } from '@sinclair/typebox';
import { foreignKeyActions, generatorFunctions } from '#catalog';
import { type DefaultLiteral, scalarTypes } from '#value';
import { schemaId } from '../pir/definition.ts';
import {
  atLeastOne,
  closed,
  identifier,
  list,
  name,
  oneOf,
  optional,
  ref,
} from '../schema/shapes.ts';

const columnNames = (description: string) => list(description, name('The name of a column.'), 1);

const ColumnDefault = closed(
  'The value of the column in a created row that has none: exactly one of both members.',
  {
    func: optional(oneOf('A function that generates a value for each row.', generatorFunctions)),
    value: optional(
      Type.Unsafe<DefaultLiteral>({
        description:
          'A constant of the type of the column. Bytes are identifier text if the column has such a format, otherwise padded base64.',
        type: ['string', 'number', 'boolean'],
      }),
    ),
  },
  { ...atLeastOne('func', 'value'), maxProperties: 1 },
);

const columnMembers = {
  name: identifier('The name of the column.'),
  type: oneOf('The type of the column.', scalarTypes),
  nullable: optional(
    Type.Boolean({ description: 'True if the column accepts NULL; false if absent.' }),
  ),
  format: optional(
    identifier(
      'The meaning of the values. `uuid`, `ulid` and `xid` on a bytes column make it an identifier.',
    ),
  ),
  default: optional(ref<Static<typeof ColumnDefault>>('ColumnDefault')),
};

const ColumnDef = closed('A column to create.', {
  id: optional(schemaId('The stable id of the column within its table; allocated if absent.')),
  ...columnMembers,
});

const ColumnInfo = closed('A column.', {
  id: schemaId('The stable id of the column within its table.'),
  ...columnMembers,
});

const IndexInfo = closed('A secondary index.', {
  name: identifier('The name of the index; unique within the table.'),
  columns: columnNames('The indexed columns, in order.'),
  unique: optional(
    Type.Boolean({
      description: 'True if the index rejects rows with equal values; false if absent.',
    }),
  ),
});

const ForeignKeyInfo = closed('A reference to the primary key of a table.', {
  name: identifier('The name of the foreign key; unique within the table.'),
  columns: columnNames('The referencing columns.'),
  ref_table: name('The name of the referenced table.'),
  ref_columns: columnNames('The whole primary key of the referenced table, in order.'),
  on_delete: oneOf(
    'The action on the referencing rows when the referenced row is deleted.',
    foreignKeyActions,
  ),
});

const tableMembers = {
  primary_key: columnNames('The columns of the primary key, in order; none is nullable.'),
  indexes: optional(list('Secondary indexes.', ref<Static<typeof IndexInfo>>('IndexInfo'))),
  foreign_keys: optional(
    list('References to other tables.', ref<Static<typeof ForeignKeyInfo>>('ForeignKeyInfo')),
  ),
};

const TableDef = closed('A table to create.', {
  id: optional(schemaId('The stable id of the table; allocated if absent.')),
  name: identifier('The name of the table.'),
  columns: list('The columns in order.', ref<Static<typeof ColumnDef>>('ColumnDef'), 1),
  ...tableMembers,
});

const TableInfo = closed('A table.', {
  id: schemaId('The stable id of the table; never reused.'),
  name: identifier('The name of the table.'),
  columns: list('The columns in order.', ref<Static<typeof ColumnInfo>>('ColumnInfo'), 1),
  ...tableMembers,
});

export const catalogBodyDefinitions = {
  ColumnDefault,
  ColumnDef,
  ColumnInfo,
  IndexInfo,
  ForeignKeyInfo,
  TableDef,
  TableInfo,
  TableList: closed('All tables.', {
    tables: list('The tables, by id.', ref<Static<typeof TableInfo>>('TableInfo')),
  }),
  TableUpdateProps: closed('A new name for a table.', { name: identifier('The new name.') }),
  ColumnUpdateProps: closed('A new name for a column.', { name: identifier('The new name.') }),
};

export type TableDefBody = Static<typeof TableDef>;
export type ColumnDefBody = Static<typeof ColumnDef>;
export type ColumnDefaultBody = Static<typeof ColumnDefault>;
export type TableInfoBody = Static<typeof TableInfo>;
