/** Renames references to tables and columns within one table of a schema file: in its own lists and in references to other tables. */

import { isScalar, isSeq, type YAMLMap } from 'yaml';
import { type Catalog, columnById, type Table, tableById, tableByName } from '#catalog';
import type { Edit } from './edit.ts';
import { changeText, setText } from './yaml-nodes.ts';

/** Renames the references, but not the `name` members. Returns whether a reference has changed. */
export function renameReferences(node: YAMLMap, edit: Edit, former: Table): boolean {
  const own = columnNamesAfter(edit, former);
  let isChanged = renameList(node.get('primary_key'), own);
  for (const entry of entriesOf(node, 'indexes')) {
    isChanged = renameList(entry.get('columns'), own) || isChanged;
  }
  for (const entry of entriesOf(node, 'foreign_keys')) {
    isChanged = renameList(entry.get('columns'), own) || isChanged;
    isChanged = renameTarget(entry, edit) || isChanged;
  }
  for (const column of entriesOf(node, 'columns')) {
    isChanged = renameShorthand(column, edit) || isChanged;
  }
  return isChanged;
}

export function entriesOf(node: YAMLMap, member: string): readonly YAMLMap[] {
  const list = node.get(member);
  return isSeq(list) ? (list.items as YAMLMap[]) : [];
}

type NameAfter = (name: string) => string;

/** Returns a function from old to new column names. A deleted column keeps its name, since its references are deleted as well. */
export function columnNamesAfter({ after, renumbering }: Edit, former: Table): NameAfter {
  const table = tableById(after, renumbering.tables.get(former.id) ?? former.id);
  const moved = renumbering.columns.get(former.id);
  return (name) => {
    const column = former.columns.find((it) => it.name === name);
    if (column === undefined || table === undefined) return name;
    return columnById(table, moved?.get(column.id) ?? column.id)?.name ?? name;
  };
}

export function tableNameAfter({ after, renumbering }: Edit, former: Table): string {
  return tableById(after, renumbering.tables.get(former.id) ?? former.id)?.name ?? former.name;
}

function renameList(list: unknown, nameAfter: NameAfter): boolean {
  if (!isSeq(list)) return false;
  let isChanged = false;
  for (const item of list.items) {
    if (!isScalar(item)) continue;
    const name = nameAfter(String(item.value));
    if (name === item.value) continue;
    isChanged = true;
    changeText(item, name);
  }
  return isChanged;
}

function renameTarget(entry: YAMLMap, edit: Edit): boolean {
  const target = named(edit.before, entry.get('ref_table'));
  if (target === undefined) return false;
  const name = tableNameAfter(edit, target);
  const isChanged = renameList(entry.get('ref_columns'), columnNamesAfter(edit, target));
  if (name === target.name) return isChanged;
  setText(entry, 'ref_table', name);
  return true;
}

function renameShorthand(column: YAMLMap, edit: Edit): boolean {
  const [table = '', name = ''] = String(column.get('ref') ?? '').split('.');
  const target = named(edit.before, table);
  if (target === undefined) return false;
  const ref = `${tableNameAfter(edit, target)}.${columnNamesAfter(edit, target)(name)}`;
  if (ref === `${table}.${name}`) return false;
  column.set('ref', ref);
  return true;
}

function named(catalog: Catalog, name: unknown): Table | undefined {
  return typeof name === 'string' ? tableByName(catalog, name) : undefined;
}
