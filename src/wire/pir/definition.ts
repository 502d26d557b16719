/** Definitions of catalog objects inside programs (docs/pir.md §6). */

import { Type } from '@sinclair/typebox';
import {
  type ColumnDefault,
  type ColumnDefinition,
  type ConstraintDefinition,
  type ForeignKeyDefinition,
  foreignKeyActions,
  generatorFunctions,
  type IndexDefinition,
} from '#catalog';
import { type DefaultLiteral, type ScalarType, scalarTypes } from '#value';
import {
  closed,
  distinctNames,
  identifier,
  list,
  name,
  oneOf,
  optional,
  ref,
  tag,
  variants,
} from '../schema/shapes.ts';

const columnType = oneOf<ScalarType>('The type of the column.', scalarTypes);
const nullable = Type.Boolean({ description: 'True if the column accepts NULL.' });
const format = identifier(
  'The meaning of the values. `uuid`, `ulid` and `xid` on a bytes column make it an identifier; any other format is only a label.',
);
const columnNames = (description: string) => list(description, name('The name of a column.'), 1);
const defaultOf = ref<ColumnDefault>(
  'ColumnDefault',
  'The value of the column in a created row that has none.',
);

export const prerequisites = optional(
  distinctNames('Ids of transitions that must be ready before this one starts.'),
);

/** Returns the schema of a table or column id. Ids are stable and never reused. */
export function schemaId(description: string) {
  return Type.Integer({ description, minimum: 1, maximum: 2_147_483_647 });
}

export const definitionDefinitions = {
  TableDefinition: closed('A table.', {
    name: identifier('The name of the table.'),
    id: optional(schemaId('The stable id of the table; allocated if absent.')),
    columns: list('The columns in order.', ref<ColumnDefinition>('ColumnDefinition'), 1),
    primary_key: columnNames('The columns of the primary key, in key order; none is nullable.'),
    indexes: optional(list('Secondary indexes.', ref<IndexDefinition>('IndexDefinition'))),
    foreign_keys: optional(
      list('References to other tables.', ref<ForeignKeyDefinition>('ForeignKeyDefinition')),
    ),
  }),
  ColumnDefinition: closed('A column.', {
    name: identifier('The name of the column.'),
    type: columnType,
    id: optional(schemaId('The stable id of the column within its table; allocated if absent.')),
    nullable: optional(nullable),
    format: optional(format),
    default: optional(defaultOf),
  }),
  IndexDefinition: closed('A secondary index.', {
    name: identifier('The name of the index; unique within the table.'),
    columns: columnNames('The columns, in index order.'),
    unique: optional(
      Type.Boolean({
        description: 'True if the index rejects rows with equal values; false if absent.',
      }),
    ),
  }),
  ForeignKeyDefinition: closed('A reference to the primary key of a table.', {
    name: identifier('The name of the foreign key; unique within the table.'),
    columns: columnNames('The referencing columns.'),
    ref_table: name('The name of the referenced table.'),
    ref_columns: columnNames('The whole primary key of the referenced table, in order.'),
    on_delete: optional(
      oneOf(
        'The action on the referencing rows when the referenced row is deleted; `restrict` if absent.',
        foreignKeyActions,
      ),
    ),
  }),
  ReplacementDefinition: closed('The new definition of a column.', {
    type: columnType,
    nullable,
    format: optional(format),
    default: optional(defaultOf),
    conversion: optional(
      oneOf('The conversion of values: a value without an exact image is a violation.', [
        'strict_builtin',
      ]),
    ),
    prerequisites,
  }),
  ConstraintDefinition: variants<ConstraintDefinition>(
    'A constraint to establish over existing rows.',
    ['NotNullConstraint', 'ForeignKeyConstraint'],
  ),
  NotNullConstraint: closed('A column that becomes non-null.', {
    name: identifier('The name of the constraint.'),
    kind: tag('not_null'),
    column_id: schemaId('The column that becomes non-null.'),
    prerequisites,
  }),
  ForeignKeyConstraint: closed('A foreign key that is validated over existing rows.', {
    name: identifier('The name of the constraint.'),
    kind: tag('foreign_key'),
    foreign_key: ref<ForeignKeyDefinition>('ForeignKeyDefinition'),
    prerequisites,
  }),
  ColumnDefault: variants<ColumnDefault>(
    'The value of the column in a created row that has none.',
    ['GeneratorDefault', 'LiteralDefault'],
  ),
  GeneratorDefault: closed('A function that generates a value for each row.', {
    kind: tag('generator'),
    func: oneOf(
      '`uuid_v4` and `uuid_v7` for bytes of format `uuid`, `ulid` and `xid` for bytes of that format, `now_ms` and `increment` for int64.',
      generatorFunctions,
    ),
  }),
  LiteralDefault: closed('A constant.', {
    kind: tag('literal'),
    value: Type.Unsafe<DefaultLiteral>({
      description:
        'A value of the type of the column. Bytes are identifier text if the column has such a format, otherwise padded base64.',
      type: ['string', 'number', 'boolean'],
    }),
  }),
};
