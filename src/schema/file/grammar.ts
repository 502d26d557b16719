/**
 * The grammar of a schema file, one JSON Schema per level. `svc schema json-schema` writes it for editors, and the reader takes the allowed and
 * the required members from it.
 */

import { foreignKeyActions } from '#catalog';
import { closed, flag, list, names, use } from './grammar-shapes.ts';
import { policyLevels } from './policy/policy-grammar.ts';

/** The names of column types; `string` is a synonym of `text`. */
export const typeWords = ['text', 'string', 'int64', 'float64', 'bool', 'bytes'] as const;

/** The form of names that the `ref` shorthand requires and that generated clients use unchanged. */
export const plainName = /^[a-z_][a-z0-9_]*$/;
/** The form of `ref`: a table and one of its columns. */
export const refPattern = /^([a-z_][a-z0-9_]*)\.([a-z_][a-z0-9_]*)$/;

export const schemaIdMax = 2_147_483_647;

export const grammar = {
  schema: closed(
    'The schema of one database.',
    { tables: list('table', 'All tables; the list is empty for an empty database.') },
    {
      policies: {
        anyOf: [{ enum: ['none'] }, { $ref: '#/$defs/policies' }],
        description:
          'The row policies of the database. A file without this member does not change them; `none` removes them.',
      },
    },
  ),
  table: closed(
    'A table.',
    {
      id: use(
        'schema_id',
        'The stable id of the table. It does not change with renames and is never reused.',
      ),
      name: use('identifier', 'The name of the table.'),
      columns: { ...list('column', 'The columns. Their order is significant.'), minItems: 1 },
    },
    {
      primary_key: names('The columns of the primary key in order, instead of `pk` on columns.'),
      indexes: list('index', 'Secondary indexes.'),
      foreign_keys: list('foreign_key', 'References to the primary keys of tables.'),
    },
  ),
  column: closed(
    'A column.',
    {
      id: use('schema_id', 'The stable id of the column within its table.'),
      name: use('identifier', 'The name of the column.'),
      type: {
        enum: typeWords,
        description: 'The type of the values. `string` is a synonym of `text`.',
      },
    },
    {
      nullable: flag('True if the column accepts NULL.'),
      pk: flag('True if the column belongs to the primary key.'),
      unique: flag('True to create a unique index on the column.'),
      index: flag('True to create an index on the column.'),
      ref: {
        type: 'string',
        pattern: refPattern.source.replaceAll(/[()]/g, ''),
        description: 'A foreign key to the primary key of another table, as `table.column`.',
      },
      format: use(
        'identifier',
        'The meaning of the values. `uuid`, `ulid` and `xid` on a bytes column make it an identifier; any other format is only a label.',
      ),
      default: {
        type: ['string', 'number', 'boolean'],
        description:
          'The value of the column in a created row that has none: a literal of the type, or `uuid_v4()`, `uuid_v7()`, `ulid()`, `xid()`, `now_ms()`, `increment()`.',
      },
    },
  ),
  index: closed(
    'A secondary index.',
    { columns: names('The indexed columns, in order.') },
    {
      name: use(
        'identifier',
        'The name of the index; generated from the table and the columns if absent.',
      ),
      unique: flag('True if the index rejects rows with equal values.'),
    },
  ),
  foreign_key: closed(
    'A reference to the primary key of a table.',
    {
      name: use('identifier', 'The name of the foreign key.'),
      columns: names('The referencing columns.'),
      ref_table: use('identifier', 'The referenced table.'),
      ref_columns: names('The whole primary key of the referenced table, in order.'),
    },
    {
      on_delete: {
        enum: foreignKeyActions,
        default: 'restrict',
        description: 'The action on the rows of this table when the referenced row is deleted.',
      },
    },
  ),
  ...policyLevels,
};

export type GrammarLevel = keyof typeof grammar;
export type MemberOf<L extends GrammarLevel> = keyof (typeof grammar)[L]['properties'] & string;
