/** Edits the indexes and foreign keys of one table in the form that the file uses: a shorthand of a column, or a separate entry. */

import { isSeq, type YAMLMap } from 'yaml';
import {
  columnById,
  columnNames,
  type ForeignKey,
  generatedForeignKeyName,
  generatedIndexName,
  type Index,
  type Table,
  tableById,
} from '#catalog';
import { plainName } from '../file/grammar.ts';
import { foreignKeyText, indexText } from '../file/render.ts';
import type { Edit } from './edit.ts';
import { entriesOf } from './rename-references.ts';
import { listOf, parsedMap, setText } from './yaml-nodes.ts';

interface TableEdit {
  readonly node: YAMLMap;
  readonly edit: Edit;
  readonly former: Table;
  readonly table: Table;
  readonly idAfter: (id: number) => number;
}

/** Edits the node of a table, whose lists must already contain the names of the new schema. Returns whether it has changed. */
export function editMembers(of: TableEdit): boolean {
  const { former, table } = of;
  const gone = former.indexes.filter((index) => !table.indexes.some(sameIndex(of, index)));
  const come = table.indexes.filter(
    (index) => !former.indexes.some((it) => sameIndex(of, it)(index)),
  );
  const goneKeys = former.foreignKeys.filter((key) => !table.foreignKeys.some(sameKey(of, key)));
  const comeKeys = table.foreignKeys.filter(
    (key) => !former.foreignKeys.some((it) => sameKey(of, it)(key)),
  );
  for (const index of gone) removeIndex(of, index);
  for (const key of goneKeys) removeKey(of, key);
  for (const index of come) addIndex(of, index);
  for (const key of comeKeys) addKey(of, key);
  for (const member of ['indexes', 'foreign_keys']) dropEmpty(of.node, member);
  const isRenamed = renameGenerated(of);
  return isRenamed || gone.length + come.length + goneKeys.length + comeKeys.length > 0;
}

/** Renames entries that contain a generated name, which follows the names of the table and the columns. */
function renameGenerated(of: TableEdit): boolean {
  const { node, former, table } = of;
  let isChanged = false;
  for (const before of former.indexes) {
    const after = table.indexes.find(sameIndex(of, before));
    isChanged = renameEntry(node, 'indexes', before.name, after?.name) || isChanged;
  }
  for (const before of former.foreignKeys) {
    const after = table.foreignKeys.find(sameKey(of, before));
    isChanged = renameEntry(node, 'foreign_keys', before.name, after?.name) || isChanged;
  }
  return isChanged;
}

function renameEntry(node: YAMLMap, member: string, before: string, after = before): boolean {
  if (before === after) return false;
  const entry = entriesOf(node, member).find((it) => it.get('name') === before);
  if (entry === undefined) return false;
  setText(entry, 'name', after);
  return true;
}

function sameIndex({ former, table, idAfter }: TableEdit, before: Index) {
  return (after: Index) =>
    before.unique === after.unique &&
    isSameList(before.columns.map(idAfter), after.columns) &&
    (before.name === after.name || (isGenerated(former, before) && isGenerated(table, after)));
}

function isGenerated(table: Table, { name, columns, unique }: Index): boolean {
  return name === generatedIndexName(table.name, columnNames(table, columns), unique);
}

function sameKey({ edit, former, table, idAfter }: TableEdit, before: ForeignKey) {
  const { tables, columns } = edit.renumbering;
  const target = tables.get(before.refTable) ?? before.refTable;
  const refColumns = before.refColumns.map((id) => columns.get(before.refTable)?.get(id) ?? id);
  return (after: ForeignKey) =>
    target === after.refTable &&
    before.onDelete === after.onDelete &&
    isSameList(before.columns.map(idAfter), after.columns) &&
    isSameList(refColumns, after.refColumns) &&
    (before.name === after.name ||
      (isGeneratedKey(former, before) && isGeneratedKey(table, after)));
}

function isGeneratedKey(table: Table, { name, columns }: ForeignKey): boolean {
  return name === generatedForeignKeyName(table.name, columnNames(table, columns)[0] ?? '');
}

function isSameList(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((id, i) => id === right[i]);
}

function removeIndex(of: TableEdit, { columns, unique }: Index): void {
  const names = namesAfter(of, columns);
  removeEntry(of.node, 'indexes', (entry) => {
    return isNamed(entry, names) && (String(entry.get('unique')) === 'true') === unique;
  });
  const column = columns.length === 1 ? columnNode(of, names[0]) : undefined;
  column?.delete('unique');
  column?.delete('index');
}

function removeKey(of: TableEdit, { columns }: ForeignKey): void {
  const names = namesAfter(of, columns);
  removeEntry(of.node, 'foreign_keys', (entry) => isNamed(entry, names));
  if (columns.length === 1) columnNode(of, names[0])?.delete('ref');
}

function addIndex(of: TableEdit, index: Index): void {
  const { node, table } = of;
  const [first] = index.columns;
  const column = columnNode(of, first === undefined ? undefined : columnById(table, first)?.name);
  const isFree = column !== undefined && !column.has('unique') && !column.has('index');
  if (isFree && index.columns.length === 1 && isGenerated(table, index)) {
    column.set(index.unique ? 'unique' : 'index', true);
    return;
  }
  listOf(node, 'indexes').items.push(parsedMap(indexText(table, index)));
}

function addKey(of: TableEdit, key: ForeignKey): void {
  const { node, table, edit } = of;
  const target = tableById(edit.after, key.refTable) as Table;
  const [refName = ''] = columnNames(target, key.refColumns);
  const column = columnNode(of, columnNames(table, key.columns)[0]);
  const isShort =
    column !== undefined &&
    !column.has('ref') &&
    key.columns.length === 1 &&
    key.onDelete === 'restrict' &&
    isGeneratedKey(table, key) &&
    plainName.test(target.name) &&
    plainName.test(refName);
  if (isShort) column.set('ref', `${target.name}.${refName}`);
  else listOf(node, 'foreign_keys').items.push(parsedMap(foreignKeyText(edit.after, table, key)));
}

function namesAfter({ former, table, idAfter }: TableEdit, ids: readonly number[]) {
  return ids.map(
    (id) => columnById(table, idAfter(id))?.name ?? columnById(former, id)?.name ?? '',
  );
}

function columnNode({ node }: TableEdit, name: string | undefined): YAMLMap | undefined {
  return entriesOf(node, 'columns').find((column) => column.get('name') === name);
}

function isNamed(entry: YAMLMap, names: readonly string[]): boolean {
  const columns = entry.get('columns');
  const found = isSeq(columns) ? columns.items.map(String) : [];
  return found.length === names.length && found.every((name, i) => name === names[i]);
}

function removeEntry(node: YAMLMap, member: string, isMeant: (entry: YAMLMap) => boolean): void {
  const list = node.get(member);
  if (!isSeq(list)) return;
  const at = (list.items as YAMLMap[]).findIndex(isMeant);
  if (at >= 0) list.items.splice(at, 1);
}

function dropEmpty(node: YAMLMap, member: string): void {
  const list = node.get(member);
  if (isSeq(list) && list.items.length === 0) node.delete(member);
}
