/** Every rule of a schema file, broken: the message, and where it points. A caret line under a line marks the place. */

import { describe, expect, test } from 'bun:test';
import { diagnosticExcerpt, diagnosticLine, parseSchema } from '#schema';

function errorsOf(text: string): readonly string[] {
  const schema = parseSchema(text, 'f');
  if (schema.kind === 'schema') return [];
  return schema.errors.map((error) => diagnosticLine(schema.source, error).slice(2));
}

/** One table whose columns are the given flow mappings; further lines follow. */
function table(columns: readonly string[], ...more: readonly string[]): string {
  const lines = columns.map((column) => `      - { ${column} }`);
  return ['tables:', '  - id: 1', '    name: t', '    columns:', ...lines, ...more, ''].join('\n');
}

const id = 'id: 1, name: id, type: int64, pk: true';

describe('columns', () => {
  const rows: [string, string, string][] = [
    [
      'unknown type',
      'id: 2, name: a, type: strng',
      '6:33: unknown column type "strng"; did you mean "string"?',
    ],
    [
      'type of another database',
      'id: 2, name: a, type: INTEGER',
      '6:33: unknown column type "INTEGER"; did you mean "int64"?',
    ],
    [
      'type of exact money',
      'id: 2, name: a, type: decimal',
      '6:33: unknown column type "decimal"; write `type: int64` in the smallest unit, such as cents, for exact values, or `type: float64`',
    ],
    [
      'no type at all',
      'id: 2, name: a, type: zzz',
      '6:33: unknown column type "zzz"; the types are text, string, int64, float64, bool, bytes',
    ],
    [
      'unknown member',
      'id: 2, name: a, type: text, nulable: true',
      '6:39: schema validation failed: unknown member "nulable" of a column; did you mean "nullable"?',
    ],
    [
      'missing id',
      'name: a, type: text',
      '6:9: schema validation failed: a column needs the member "id"; use a number that was never used before',
    ],
    [
      'missing type',
      'id: 2, name: a',
      '6:9: schema validation failed: a column needs the member "type"',
    ],
    [
      'id zero',
      'id: 0, name: a, type: text',
      '6:15: schema validation failed: id must be an integer from 1 to 2147483647, not 0',
    ],
    [
      'id too large',
      'id: 2147483648, name: a, type: text',
      '6:15: schema validation failed: id must be an integer from 1 to 2147483647, not 2147483648',
    ],
    [
      'id as text',
      'id: "2", name: a, type: text',
      '6:15: schema validation failed: id must be an integer from 1 to 2147483647, not "2"',
    ],
    [
      'a name that YAML takes for a bool',
      'id: 2, name: true, type: text',
      '6:24: schema validation failed: name must be text, not a bool; put it in quotes: "true"',
    ],
    [
      'an empty name',
      'id: 2, name: "", type: text',
      '6:24: invalid column identifier: it is empty',
    ],
    [
      'a name with a control character',
      'id: 2, name: "a\\x01", type: text',
      '6:24: invalid column identifier: it contains a control character',
    ],
    [
      'duplicate name',
      'id: 2, name: id, type: text',
      '6:24: duplicate column "id"; the first one is in line 5',
    ],
    [
      'shared id',
      'id: 1, name: a, type: text',
      '6:15: columns "id" and "a" share ID 1; the first one is in line 5',
    ],
    [
      'member twice',
      'id: 2, name: a, type: text, name: b',
      '6:39: schema validation failed: the member "name" occurs twice',
    ],
    [
      'a flag that is no bool',
      'id: 2, name: a, type: text, nullable: yes',
      '6:49: schema validation failed: nullable must be true or false, not "yes"',
    ],
    [
      'bad ref',
      'id: 2, name: a, type: int64, ref: t',
      '6:45: foreign-key ref must be table.column; names with characters other than a-z, 0-9 and _ need an entry in foreign_keys',
    ],
    [
      'ref to nowhere',
      'id: 2, name: a, type: int64, ref: u.id',
      '6:45: foreign key "t_a_fk" references the unknown table "u"; did you mean "t"?',
    ],
    [
      'ref to another column than the key',
      'id: 2, name: a, type: int64, ref: t.a',
      '6:45: foreign key "t_a_fk" must reference the whole primary key of table "t" in order: "id"',
    ],
    [
      'ref of another type',
      'id: 2, name: a, type: text, ref: t.id',
      '6:24: foreign key "t_a_fk": column "a" is text, the referenced column "id" is int64',
    ],
    [
      'empty format',
      'id: 2, name: a, type: bytes, format: ""',
      '6:48: invalid format identifier: it is empty',
    ],
    [
      'nullable key',
      'id: 2, name: a, type: int64, pk: true, nullable: true',
      '6:24: the primary key column "a" must not be nullable; remove `nullable: true`',
    ],
  ];
  test.each(rows)('%s', (_name, column, expected) => {
    expect(errorsOf(table([id, column]))).toEqual([expected]);
  });
});

describe('defaults', () => {
  const rows: [string, string, string][] = [
    [
      'type: text, default: uuid_v4()',
      '48',
      '`uuid_v4()` default on text column: uuid_v4 needs a bytes column of format uuid',
    ],
    [
      'type: bytes, default: ulid()',
      '49',
      '`ulid()` default on bytes column: ulid needs a bytes column of format ulid',
    ],
    [
      'type: text, default: increment()',
      '48',
      '`increment()` default on text column: increment needs an int64 column',
    ],
    [
      'type: int64, default: nowms()',
      '49',
      'string default on int64 column (expected a int64 value, got string); did you mean "now_ms()"?',
    ],
    [
      'type: int64, default: "1"',
      '49',
      'string default on int64 column (expected a int64 value, got string)',
    ],
    [
      'type: int64, format: unix_ms, default: "2026-02-30"',
      '66',
      'string default on int64 column (expected a int64 value, got string)',
    ],
    [
      'type: int64, default: 1.0',
      '49',
      'float default on int64 column (expected a int64 value, got float)',
    ],
    [
      'type: int64, default: 1e3',
      '49',
      'float default on int64 column (expected a int64 value, got float)',
    ],
    ['type: int64, default: 9223372036854775808', '49', 'integer default is out of range of int64'],
    [
      'type: bool, default: 1',
      '48',
      'integer default on bool column (expected a bool value, got integer)',
    ],
    [
      'type: text, default: 1',
      '48',
      'integer default on text column (expected a text value, got integer); put it in quotes',
    ],
    [
      'type: text, default: true',
      '48',
      'bool default on text column (expected a text value, got bool); put it in quotes',
    ],
    ['type: float64, default: .inf', '51', 'float default must be finite'],
    ['type: float64, default: 1e400', '51', 'float default must be finite'],
    [
      'type: text, default: [a]',
      '48',
      'cannot use a list as a default; omit the member if the column has no default',
    ],
    [
      'type: text, default: ~',
      '48',
      'cannot use nothing as a default; omit the member if the column has no default',
    ],
    ['type: bytes, default: AA', '49', 'bytes default must be canonical padded base64'],
    [
      'type: bytes, format: uuid, default: uuid()',
      '63',
      'bytes default must be a canonical uuid; did you mean "uuid_v7()"?',
    ],
    [
      'type: bytes, format: xid, default: 9M4E2MR0UI3E8A215N4G',
      '62',
      'bytes default must be a canonical xid',
    ],
  ];
  test.each(rows)('%s', (column, at, expected) => {
    const text = table([id, `id: 2, name: a, ${column}`]);
    expect(errorsOf(text)).toEqual([`6:${at}: ${expected}`]);
  });
});

describe('keys and indexes', () => {
  const two = [id, 'id: 2, name: body, type: text, nullable: true'];
  const bare = ['id: 1, name: id, type: int64', 'id: 2, name: body, type: text'];
  const rows: [string, readonly string[], string, readonly string[]][] = [
    [
      'no primary key',
      bare,
      '',
      [
        '3:11: table "t" needs a primary key; mark a column with `pk: true`, or list the columns in primary_key',
      ],
    ],
    ['empty primary key', bare, '    primary_key: []', ['7:18: primary_key must not be empty']],
    [
      'unknown key column',
      bare,
      '    primary_key: [idd]',
      ['7:19: the primary key names the unknown column "idd" of table "t"; did you mean "id"?'],
    ],
    [
      'key column twice',
      bare,
      '    primary_key: [id, id]',
      ['7:23: the primary key names the column "id" twice; the first one is in line 7'],
    ],
    [
      'both forms',
      two,
      '    primary_key: [id]',
      ['7:18: both column-level pk and table-level primary_key'],
    ],
    [
      'index without columns',
      two,
      '    indexes: [{ columns: [] }]',
      ['7:26: index must contain at least one column'],
    ],
    [
      'index over nothing known',
      two,
      '    indexes: [{ columns: [bdy] }]',
      ['7:27: index "t_bdy_idx" names the unknown column "bdy" of table "t"; did you mean "body"?'],
    ],
    [
      'two indexes of one name',
      two,
      '    indexes: [{ columns: [id] }, { name: t_id_idx, columns: [body] }]',
      ['7:42: duplicate index name "t_id_idx" in table "t"; the first one is in line 7'],
    ],
    [
      'members of an index',
      two,
      '    indexes: [{ column: [id] }]',
      [
        '7:15: schema validation failed: an index needs the member "columns"',
        '7:17: schema validation failed: unknown member "column" of an index; did you mean "columns"?',
      ],
    ],
    [
      'foreign key without a name',
      two,
      '    foreign_keys: [{ columns: [id], ref_table: t, ref_columns: [id] }]',
      ['7:20: schema validation failed: a foreign key needs the member "name"'],
    ],
    [
      'foreign key without columns',
      two,
      '    foreign_keys: [{ name: k, columns: [], ref_table: t, ref_columns: [] }]',
      [
        '7:40: foreign key columns must not be empty',
        '7:71: foreign key ref_columns must not be empty',
      ],
    ],
    [
      'unknown action',
      two,
      '    foreign_keys: [{ name: k, columns: [id], ref_table: t, ref_columns: [id], on_delete: casade }]',
      [
        '7:90: schema validation failed: on_delete must be one of restrict, no_action, cascade, set_null; did you mean "cascade"?',
      ],
    ],
    [
      'set_null on the key',
      two,
      '    foreign_keys: [{ name: k, columns: [id], ref_table: t, ref_columns: [id], on_delete: set_null }]',
      ['7:41: foreign key "k": set_null cannot clear the primary key column "id"'],
    ],
    [
      'a count that differs',
      two,
      '    foreign_keys: [{ name: k, columns: [id, body], ref_table: t, ref_columns: [id] }]',
      ['7:20: foreign key "k" has 2 columns and references 1'],
    ],
  ];
  test.each(rows)('%s', (_name, columns, line, expected) => {
    expect(errorsOf(table(columns, ...(line === '' ? [] : [line])))).toEqual([...expected]);
  });

  test('set_null on a column that is not nullable', () => {
    const columns = [id, 'id: 2, name: up, type: int64'];
    const key =
      '    foreign_keys: [{ name: k, columns: [up], ref_table: t, ref_columns: [id], on_delete: set_null }]';
    expect(errorsOf(table(columns, key))).toEqual([
      '7:41: foreign key "k": set_null needs the column "up" to be nullable; add `nullable: true` to the column',
    ]);
  });
});

describe('tables', () => {
  const column = 'columns: [{ id: 1, name: id, type: int64, pk: true }]';
  test('names and ids are distinct', () => {
    const text = `tables:\n- { id: 1, name: a, ${column} }\n- { id: 1, name: b, ${column} }\n- { id: 2, name: a, ${column} }\n`;
    expect(errorsOf(text)).toEqual([
      '3:9: tables "a" and "b" share ID 1; the first one is in line 2',
      '4:18: duplicate table "a"; the first one is in line 2',
    ]);
  });

  test('no columns', () => {
    expect(errorsOf('tables: [{ id: 1, name: a, columns: [] }]')).toEqual([
      '1:10: table "a" must contain at least one column',
    ]);
  });

  test('the root', () => {
    expect(errorsOf('')).toEqual([
      '1:1: schema validation failed: a schema must be a mapping, not nothing',
    ]);
    expect(errorsOf('table: []')).toEqual([
      '1:1: schema validation failed: unknown member "table" of a schema; did you mean "tables"?',
      '1:1: schema validation failed: a schema needs the member "tables"; an empty schema is `tables: []`',
    ]);
    expect(errorsOf('tables:')).toEqual([
      '1:8: schema validation failed: tables must be a list, not nothing',
    ]);
    expect(errorsOf('tables: [1]')).toEqual([
      '1:10: schema validation failed: a table must be a mapping, not an integer',
    ]);
  });
});

test('all errors of a file are found at once, in the order of the file', () => {
  const text = table(
    [id, 'id: 1, name: 12, type: txt', 'id: 3, name: c, type: bool, default: 1'],
    '    index: []',
  );
  expect(errorsOf(text).map((line) => line.split(': ')[0])).toEqual([
    '6:15',
    '6:24',
    '6:34',
    '7:48',
    '8:5',
  ]);
});

describe('the excerpt', () => {
  test('marks the characters that are meant', () => {
    const schema = parseSchema(table([id, 'id: 2, name: ä😀, type: strng']), 'svc.schema.yaml');
    if (schema.kind === 'schema') throw new Error('the file is broken');
    expect(schema.errors.map((error) => diagnosticExcerpt(schema.source, error))).toEqual([
      [
        'svc.schema.yaml:6:34: unknown column type "strng"; did you mean "string"?',
        '6 |       - { id: 2, name: ä😀, type: strng }',
        '  |                                  ^^^^^',
      ].join('\n'),
    ]);
  });

  test('cuts a long line and shows no control character', () => {
    const text = `tables: [] # ${'x'.repeat(300)}\u001b[2J`;
    const schema = parseSchema(text, 'f');
    if (schema.kind === 'schema') throw new Error('the file is broken');
    const [, line, marks] = diagnosticExcerpt(schema.source, schema.errors[0] as never).split('\n');
    expect(line).toBe(`1 | …${'x'.repeat(60)}\ufffd[2J`);
    expect(marks).toBe(`  | ${' '.repeat(61)}^`);
  });
});

test('warnings', () => {
  const text = table(
    [id, 'id: 2, name: Up, type: int64'],
    '    foreign_keys: [{ name: k, columns: [Up], ref_table: t, ref_columns: [id] }]',
  );
  const schema = parseSchema(text, 'f');
  expect(schema.kind).toBe('schema');
  expect(schema.warnings.map((warning) => diagnosticLine(schema.source, warning))).toEqual([
    'f:6:24: column name "Up" is not of the form a-z, 0-9 and _; the `ref` shorthand requires that form, and generated clients might have to rename it',
    'f:7:28: foreign key "k" has no index on "Up"; deleting a referenced row reads all of "t"; add an index',
  ]);
});
