/** Tables of the corpus as the clients know them: columns, keys and relations. */

import type {
  Code,
  ColumnInfo,
  RelationInfo,
  TableInfo,
} from '../../clients/typescript/runtime/index.ts';
import type { FileTable, SchemaFile } from '../support/schema-file.ts';

const codes: Readonly<Record<string, Code>> = {
  ...{ text: 't', int64: 'i', float64: 'f', bool: 'b', bytes: 'x' },
  ...{ uuid: 'u', ulid: 'l', xid: 'd' },
};

/** Member, from, columns, to, columns, kind; through: table, its columns for either side. */
type Line = readonly [
  member: string,
  from: string,
  own: string,
  to: string,
  theirs: string,
  kind: RelationInfo[4],
  through?: readonly [table: string, own: string, theirs: string],
];

/** Named as docs/clients says; the README of the corpus lists them. */
const relations: readonly Line[] = [
  ['posts', 'users', 'id', 'posts', 'author_id', 'many'],
  ['comments', 'users', 'id', 'comments', 'author_id', 'many'],
  ['author', 'posts', 'author_id', 'users', 'id', 'one'],
  ['comments', 'posts', 'id', 'comments', 'post_id', 'many'],
  ['post_tags', 'posts', 'id', 'post_tags', 'post_id', 'many'],
  ['tags', 'posts', 'id', 'tags', 'id', 'many', ['post_tags', 'post_id', 'tag_id']],
  ['post', 'comments', 'post_id', 'posts', 'id', 'one'],
  ['author', 'comments', 'author_id', 'users', 'id', 'maybe'],
  ['parent', 'comments', 'parent_id', 'comments', 'id', 'maybe'],
  ['comments_by_parent', 'comments', 'id', 'comments', 'parent_id', 'many'],
  ['post_tags', 'tags', 'id', 'post_tags', 'tag_id', 'many'],
  ['posts', 'tags', 'id', 'posts', 'id', 'many', ['post_tags', 'tag_id', 'post_id']],
  ['post', 'post_tags', 'post_id', 'posts', 'id', 'one'],
  ['tag', 'post_tags', 'tag_id', 'tags', 'id', 'one'],
  ['self', 'class', 'self', 'class', 'import', 'maybe'],
  ['class_by_self', 'class', 'import', 'class', 'self', 'many'],
];

export function tableInfos({ tables }: SchemaFile): readonly TableInfo[] {
  const table = (name: string) => tables.findIndex((one) => one.name === name);
  const column = (of: string, name: string) => [
    tables[table(of)]?.columns.findIndex((one) => one.name === name) ?? -1,
  ];
  return tables.map((file): TableInfo => {
    const own = relations
      .filter(([, from]) => from === file.name)
      .map(([member, from, mine, to, theirs, kind, through]): RelationInfo => {
        const plain = [member, table(to), column(from, mine), column(to, theirs), kind] as const;
        if (through === undefined) return plain;
        const [between, us, them] = through;
        return [...plain, [table(between), column(between, us), column(between, them)]];
      });
    return [file.name, file.columns.map(columnInfo), keysOf(file), own];
  });
}

function columnInfo(column: FileTable['columns'][number]): ColumnInfo {
  const code = codes[column.format ?? ''] ?? (codes[column.type] as Code);
  const flags = (column.nullable ? 1 : 0) | (column.default === undefined ? 0 : 2);
  return [column.name, code, flags];
}

function keysOf({ columns, primary_key }: FileTable): readonly (readonly number[])[] {
  const primary = primary_key ?? columns.filter(({ pk }) => pk).map(({ name }) => name);
  const at = (name: string) => columns.findIndex((one) => one.name === name);
  return [primary.map(at), ...columns.filter(({ unique }) => unique).map(({ name }) => [at(name)])];
}
