/** Reads the YAML nodes of a schema file into its tables, without expanding shorthands. */

import type { Node } from 'yaml';
import { didYouMean } from '#base';
import { foreignKeyActions } from '#catalog';
import { type ScalarType, scalarTypes } from '#value';
import type { FileColumn, FileForeignKey, FileIndex, FileTable } from './file-table.ts';
import { refPattern, typeWords } from './grammar.ts';
import type { FilePolicies } from './policy/file-policies.ts';
import { readPolicies } from './policy/read-policies.ts';
import { readDefault } from './read-default.ts';
import type { Member, Reader } from './reader.ts';
import type { Spot, Spotted } from './source.ts';

export interface SchemaFile {
  readonly tables: readonly FileTable[];
  readonly policies: FilePolicies | 'absent' | 'none';
}

/** Returns the content; `undefined` if the file contains no list of tables. */
export function readFile(root: Node | undefined, reader: Reader): SchemaFile | undefined {
  const start = { from: 0, to: 1 };
  const members = reader.mapping(root, 'schema', start);
  const tables = members?.get('tables');
  if (members === undefined || tables === undefined) return undefined;
  return {
    tables: reader.sequence(tables).flatMap((node) => readTable(node, tables.spot, reader) ?? []),
    policies: readPolicies(members.get('policies'), reader),
  };
}

function readTable(node: unknown, around: Spot, reader: Reader): FileTable | undefined {
  const members = reader.mapping(node, 'table', around);
  if (members === undefined) return undefined;
  const columns = members.get('columns');
  const indexes = members.get('indexes');
  const foreignKeys = members.get('foreign_keys');
  const primaryKey = members.get('primary_key');
  const items = reader.sequence(columns);
  const readColumns = items.flatMap((item) => readColumn(item, columns, reader) ?? []);
  return {
    spot: members.spot,
    id: reader.schemaId(members.get('id')),
    name: reader.text(members.get('name')),
    columns: readColumns,
    hasAllColumns: readColumns.filter(({ name }) => name !== undefined).length === items.length,
    primaryKey: primaryKey && { value: reader.texts(primaryKey), spot: primaryKey.spot },
    indexes: reader.sequence(indexes).flatMap((item) => readIndex(item, indexes, reader) ?? []),
    foreignKeys: reader
      .sequence(foreignKeys)
      .flatMap((item) => readForeignKey(item, foreignKeys, reader) ?? []),
  };
}

function readColumn(
  node: unknown,
  around: Member | undefined,
  reader: Reader,
): FileColumn | undefined {
  const members = reader.mapping(node, 'column', spotAround(around));
  if (members === undefined) return undefined;
  return {
    spot: members.spot,
    id: reader.schemaId(members.get('id')),
    name: reader.text(members.get('name')),
    type: readType(reader.text(members.get('type')), reader),
    nullable: reader.flag(members.get('nullable')),
    pk: reader.flag(members.get('pk')),
    unique: reader.flag(members.get('unique')),
    index: reader.flag(members.get('index')),
    ref: readRef(reader.text(members.get('ref')), reader),
    format: reader.text(members.get('format')),
    default: readDefault(reader, members.get('default')),
  };
}

function readType(word: Spotted<string> | undefined, reader: Reader): ScalarType | undefined {
  if (word === undefined) return undefined;
  const type = word.value === 'string' ? 'text' : scalarTypes.find((known) => known === word.value);
  if (type === undefined) {
    const hint = typeSynonyms[word.value.toLowerCase()] ?? didYouMean(word.value, typeWords);
    const choices = `the types are ${typeWords.join(', ')}`;
    reader.findings.error(
      word.spot,
      `unknown column type ${JSON.stringify(word.value)}`,
      hint ?? choices,
    );
  }
  return type;
}

/** Hints for type names of other databases. */
const typeSynonyms: Readonly<Record<string, string>> = {
  integer: 'did you mean "int64"?',
  int: 'did you mean "int64"?',
  bigint: 'did you mean "int64"?',
  float: 'did you mean "float64"?',
  double: 'did you mean "float64"?',
  varchar: 'did you mean "text"?',
  boolean: 'did you mean "bool"?',
  blob: 'did you mean "bytes"?',
  uuid: 'write `type: bytes, format: uuid`',
  ulid: 'write `type: bytes, format: ulid`',
  timestamp: 'write `type: int64, format: unix_ms`',
  timestamptz: 'write `type: int64, format: unix_ms`',
  datetime: 'write `type: int64, format: unix_ms`',
  date: 'write `type: text` with dates such as 2026-11-22, which sort chronologically, or `type: int64, format: unix_ms`',
  time: 'write `type: int64`, as milliseconds of the day',
  decimal:
    'write `type: int64` in the smallest unit, such as cents, for exact values, or `type: float64`',
  numeric:
    'write `type: int64` in the smallest unit, such as cents, for exact values, or `type: float64`',
  money: 'write `type: int64` in the smallest unit, such as cents, for exact values',
  json: 'divide the content into columns and tables, or write `type: text` to store it as a string',
  jsonb:
    'divide the content into columns and tables, or write `type: text` to store it as a string',
  serial: 'write `type: int64, default: increment()`',
  char: 'did you mean "text"?',
  real: 'did you mean "float64"?',
  bytea: 'did you mean "bytes"?',
};

function readRef(word: Spotted<string> | undefined, reader: Reader): FileColumn['ref'] {
  if (word === undefined) return undefined;
  const match = refPattern.exec(word.value);
  if (match !== null) {
    return { value: { table: match[1] as string, column: match[2] as string }, spot: word.spot };
  }
  reader.findings.error(
    word.spot,
    'foreign-key ref must be table.column',
    'names with characters other than a-z, 0-9 and _ need an entry in foreign_keys',
  );
  return undefined;
}

function readIndex(
  node: unknown,
  around: Member | undefined,
  reader: Reader,
): FileIndex | undefined {
  const members = reader.mapping(node, 'index', spotAround(around));
  if (members === undefined) return undefined;
  const columns = members.get('columns');
  const names = reader.texts(columns);
  if (columns !== undefined && reader.isEmptyList(columns)) {
    reader.findings.error(columns.spot, 'index must contain at least one column');
  }
  return {
    spot: members.spot,
    name: reader.text(members.get('name')),
    columns: names,
    unique: reader.flag(members.get('unique')),
  };
}

function readForeignKey(
  node: unknown,
  around: Member | undefined,
  reader: Reader,
): FileForeignKey | undefined {
  const members = reader.mapping(node, 'foreign_key', spotAround(around));
  if (members === undefined) return undefined;
  for (const name of ['columns', 'ref_columns'] as const) {
    const list = members.get(name);
    if (list === undefined || !reader.isEmptyList(list)) continue;
    reader.findings.error(list.spot, `foreign key ${name} must not be empty`);
  }
  const action = reader.text(members.get('on_delete'));
  const onDelete = foreignKeyActions.find((known) => known === action?.value);
  if (action !== undefined && onDelete === undefined) {
    const hint = didYouMean(action.value, foreignKeyActions);
    reader.findings.shape(
      action.spot,
      `on_delete must be one of ${foreignKeyActions.join(', ')}`,
      hint,
    );
  }
  return {
    spot: members.spot,
    name: reader.text(members.get('name')),
    columns: reader.texts(members.get('columns')),
    refTable: reader.text(members.get('ref_table')),
    refColumns: reader.texts(members.get('ref_columns')),
    onDelete: onDelete ?? 'restrict',
  };
}

function spotAround(member: Member | undefined): Spot {
  return member?.spot ?? { from: 0, to: 1 };
}
