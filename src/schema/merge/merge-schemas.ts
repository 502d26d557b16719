/** Three-way merge of schemas: combines the changes of a database and of a schema file since their common base. Pure. */

import { type Catalog, emptyCatalog, type Table, tableById } from '#catalog';
import { parseSchema } from '../file/parse.ts';
import { renderSchema } from '../file/render.ts';
import { mergeTable, type OnConflict } from './merge-table.ts';
import { type Renumbering, renumbered } from './renumber.ts';

export interface MergedSchema {
  readonly catalog: Catalog;
  /** The new ids of objects of the file. */
  readonly renumbering: Renumbering;
  /** Objects that both sides changed, in words. The merged schema contains the version of the database. If this is empty, the merge is complete. */
  readonly conflicts: readonly string[];
}

/** Merges the schemas. `theirs` is the schema of the database, whose ids do not change. */
export function mergeSchemas(base: Catalog, file: Catalog, theirs: Catalog): MergedSchema {
  const conflicts: string[] = [];
  const { ours, renumbering } = renumbered(base, file, theirs);
  const tables = mergeTables(base, ours, theirs, (text) => conflicts.push(text));
  const merged = withoutDangling({ ...emptyCatalog, tables }, (text) => conflicts.push(text));
  const parsed = parseSchema(renderSchema(merged), 'merged');
  if (parsed.kind === 'schema') return { catalog: parsed.catalog, renumbering, conflicts };
  // Each side is valid, but the combination is not, for example because two tables have one name.
  conflicts.push(...parsed.errors.map(({ message }) => message));
  return { catalog: theirs, renumbering: { tables: new Map(), columns: new Map() }, conflicts };
}

function mergeTables(
  base: Catalog,
  ours: Catalog,
  theirs: Catalog,
  onConflict: OnConflict,
): readonly Table[] {
  const shared = theirs.tables.flatMap((theirTable) => {
    const mine = tableById(ours, theirTable.id);
    const before = tableById(base, theirTable.id);
    if (mine !== undefined) {
      return [mergeTable({ base: before, ours: mine, theirs: theirTable }, onConflict)];
    }
    if (before === undefined) return [theirTable];
    if (!isSameTable(before, theirTable)) {
      onConflict(`table ${theirTable.name}: changed in the database, deleted in the file`);
      return [theirTable];
    }
    return [];
  });
  const added = ours.tables.filter((mine) => {
    if (tableById(theirs, mine.id) !== undefined) return false;
    const before = tableById(base, mine.id);
    if (before === undefined) return true;
    if (!isSameTable(before, mine))
      onConflict(`table ${mine.name}: deleted in the database, changed in the file`);
    return false;
  });
  return [...shared, ...added].sort((left, right) => left.id - right.id);
}

function isSameTable(left: Table, right: Table): boolean {
  return whole(left) === whole(right);
}

/** Returns the table as text with references by id. Two tables are equal if their texts are equal. */
function whole({ name, columns, primaryKey, indexes, foreignKeys }: Table): string {
  const plain = columns.map(({ id, name: called, type, nullable, format, default: given }) => [
    id,
    called,
    type,
    nullable,
    format,
    given,
  ]);
  const members = [
    indexes.map((it) => [it.name, it.columns, it.unique]),
    foreignKeys.map((it) => [it.name, it.columns, it.refTable, it.refColumns, it.onDelete]),
  ];
  return JSON.stringify([name, plain, primaryKey, members], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

/** Deletes foreign keys to objects that the other side has deleted, and reports each as a conflict. */
function withoutDangling(catalog: Catalog, onConflict: OnConflict): Catalog {
  const tables = catalog.tables.map((table) => ({
    ...table,
    foreignKeys: table.foreignKeys.filter((key) => {
      const target = tableById(catalog, key.refTable);
      const has = (id: number) => target?.columns.some((column) => column.id === id) ?? false;
      if (key.refColumns.every(has)) return true;
      onConflict(
        `foreign key ${key.name} of ${table.name}: the referenced table or column was deleted`,
      );
      return false;
    }),
  }));
  return { ...catalog, tables };
}
