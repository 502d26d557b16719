/** Expands the shorthands of a schema file: `pk`, `unique`, `index`, `ref`, and indexes without a name (docs/schema.md). */

import { generatedForeignKeyName, generatedIndexName } from '#catalog';
import type { FileColumn, FileForeignKey, FileIndex, FileTable } from './file-table.ts';
import type { Spotted } from './source.ts';

/** An index with its name. */
type SpelledIndex = FileIndex & { readonly name: Spotted<string> };

/** Returns all indexes in the order of the file, those of columns first. */
export const spelledIndexes = once(spellIndexes);

function spellIndexes(table: FileTable): readonly SpelledIndex[] {
  const shorthands = table.columns.flatMap((column) => indexOfColumn(column) ?? []);
  return [...shorthands, ...table.indexes].flatMap((index) => {
    if (index.name !== undefined) return [index as SpelledIndex];
    // Without a table name, no index name can be generated. The missing name is reported already.
    if (table.name === undefined) return [];
    const columns = index.columns.map(({ value }) => value);
    const value = generatedIndexName(table.name.value, columns, index.unique);
    return [{ ...index, name: { value, spot: index.spot } }];
  });
}

/** Returns the index of a column. `unique` and `index` together create one unique index. */
function indexOfColumn({ name, unique, index, spot }: FileColumn): FileIndex | undefined {
  if (name === undefined || !(unique || index)) return undefined;
  return { spot, name: undefined, columns: [name], unique };
}

export const spelledForeignKeys = once(spellForeignKeys);

function spellForeignKeys(table: FileTable): readonly FileForeignKey[] {
  const shorthands = table.columns.flatMap((column) => foreignKeyOfColumn(table, column) ?? []);
  return [...shorthands, ...table.foreignKeys];
}

function foreignKeyOfColumn(
  table: FileTable,
  { name, ref }: FileColumn,
): FileForeignKey | undefined {
  if (name === undefined || ref === undefined || table.name === undefined) return undefined;
  const { spot } = ref;
  return {
    spot,
    name: { value: generatedForeignKeyName(table.name.value, name.value), spot },
    columns: [name],
    refTable: { value: ref.value.table, spot },
    refColumns: [{ value: ref.value.column, spot }],
    onDelete: 'restrict',
  };
}

/** Returns the primary key from either form, `undefined` if the table has none. */
export const spelledPrimaryKey = once(spellPrimaryKey);

function spellPrimaryKey(table: FileTable): readonly Spotted<string>[] | undefined {
  if (table.primaryKey !== undefined) return table.primaryKey.value;
  const names = table.columns.flatMap(({ pk, name }) => (pk && name !== undefined ? [name] : []));
  return names.length === 0 ? undefined : names;
}

/** Returns the column lists of the primary key and the indexes, by their first column. */
export const columnListsByFirst = once((table) => {
  const lists = new Map<string, (readonly Spotted<string>[])[]>();
  for (const list of [
    spelledPrimaryKey(table) ?? [],
    ...spelledIndexes(table).map((index) => index.columns),
  ]) {
    const first = list[0]?.value;
    if (first === undefined) continue;
    const sharing = lists.get(first);
    if (sharing === undefined) lists.set(first, [list]);
    else sharing.push(list);
  }
  return lists as ReadonlyMap<string, readonly (readonly Spotted<string>[])[]>;
});

/** Caches the result per table, since every foreign key needs it. */
function once<Value>(spell: (table: FileTable) => Value): (table: FileTable) => Value {
  const known = new WeakMap<FileTable, { readonly value: Value }>();
  return (table) => {
    const entry = known.get(table) ?? { value: spell(table) };
    known.set(table, entry);
    return entry.value;
  };
}
