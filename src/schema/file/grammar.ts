/**
 * The members that a schema file has, level by level, as a JSON Schema: editors get it as it stands (`svc schema json-schema`), and the
 * reader takes from it which members there are and which must be there.
 */

import { foreignKeyActions } from '#catalog';

/** `string` is another word for `text`. */
export const typeWords = ['text', 'string', 'int64', 'float64', 'bool', 'bytes'] as const;

/** What generated clients and the `ref` shorthand ask of a name. */
export const plainName = /^[a-z_][a-z0-9_]*$/;
/** The column that `ref` names, with its table. */
export const refPattern = /^([a-z_][a-z0-9_]*)\.([a-z_][a-z0-9_]*)$/;

export const schemaIdMax = 2_147_483_647;

const use = (name: string, description: string) => ({ $ref: `#/$defs/${name}`, description });
const flag = (description: string) => ({ type: 'boolean', default: false, description });
const list = (name: string, description: string) => ({
  type: 'array',
  items: { $ref: `#/$defs/${name}` },
  description,
});
const names = (description: string) => ({ ...list('identifier', description), minItems: 1 });

function closed<const Required extends string, const Optional extends string>(
  description: string,
  required: Readonly<Record<Required, object>>,
  optional: Readonly<Record<Optional, object>>,
) {
  return {
    description,
    type: 'object',
    required: Object.keys(required) as Required[],
    properties: { ...required, ...optional } as Readonly<Record<Required | Optional, object>>,
    additionalProperties: false,
  };
}

export const grammar = {
  schema: closed(
    'The schema of one database.',
    { tables: list('table', 'All tables; an empty list means an empty database.') },
    {},
  ),
  table: closed(
    'A table.',
    {
      id: use('schema_id', 'The stable id of the table: it survives renames and is never reused.'),
      name: use('identifier', 'The name of the table.'),
      columns: { ...list('column', 'The columns. Their order counts.'), minItems: 1 },
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
        description: 'The type of the values. `string` is another word for `text`.',
      },
    },
    {
      nullable: flag('Whether the column accepts NULL.'),
      pk: flag('Whether the column belongs to the primary key.'),
      unique: flag('Whether a unique index is made of the column.'),
      index: flag('Whether an index is made of the column.'),
      ref: {
        type: 'string',
        pattern: refPattern.source.replaceAll(/[()]/g, ''),
        description: 'A foreign key to the primary key of another table, as `table.column`.',
      },
      format: use(
        'identifier',
        'What the values mean. `uuid`, `ulid` and `xid` on a bytes column make it an identifier; anything else is a label.',
      ),
      default: {
        type: ['string', 'number', 'boolean'],
        description:
          'What a created row gets without a value: a literal of the type, or `uuid_v4()`, `uuid_v7()`, `ulid()`, `xid()`, `now_ms()`, `increment()`.',
      },
    },
  ),
  index: closed(
    'A secondary index.',
    { columns: names('The indexed columns, in order.') },
    {
      name: use('identifier', 'The name of the index; made of table and columns if absent.'),
      unique: flag('Whether rows with equal values are refused.'),
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
        description: 'What happens to the rows of this table when the referenced row is deleted.',
      },
    },
  ),
};

export type Level = keyof typeof grammar;
export type MemberOf<L extends Level> = keyof (typeof grammar)[L]['properties'] & string;
