/** Edits the entry of one table: its id and name, its columns, then its indexes and foreign keys. */

import { isSeq, type YAMLMap } from 'yaml';
import { type Column, columnById, type Table } from '#catalog';
import { columnText } from '../file/render.ts';
import type { Edit } from './edit.ts';
import { editMembers } from './edit-members.ts';
import { entriesOf } from './rename-references.ts';
import { parsedMap, setText } from './yaml-nodes.ts';

/** Edits the node of a table. Returns whether it has changed. */
export function editTable(node: YAMLMap, edit: Edit, former: Table, table: Table): boolean {
  const ids = edit.renumbering.columns.get(former.id);
  const idAfter = (id: number) => ids?.get(id) ?? id;
  let isChanged = former.id !== table.id || former.name !== table.name;
  if (former.id !== table.id) node.set('id', table.id);
  if (former.name !== table.name) setText(node, 'name', table.name);
  isChanged = editColumns(node, former, table, idAfter) || isChanged;
  return editMembers({ node, edit, former, table, idAfter }) || isChanged;
}

function editColumns(
  node: YAMLMap,
  former: Table,
  table: Table,
  idAfter: (id: number) => number,
): boolean {
  const list = node.get('columns');
  if (!isSeq(list)) return false;
  let isChanged = false;
  const kept: YAMLMap[] = [];
  const byId = new Map<number, YAMLMap>();
  for (const item of entriesOf(node, 'columns')) {
    const before = columnById(former, Number(item.get('id')));
    const after = before && columnById(table, idAfter(before.id));
    if (before === undefined || after === undefined) {
      isChanged = true;
      continue;
    }
    isChanged = editColumn(item, before, after) || isChanged;
    byId.set(after.id, item);
    kept.push(item);
  }
  const wanted = table.columns.map(
    (column) => byId.get(column.id) ?? parsedMap(columnText(column)),
  );
  isChanged ||= wanted.length !== kept.length || wanted.some((item, i) => item !== kept[i]);
  if (isChanged) list.items = wanted;
  return isChanged;
}

const shape = ['id', 'name', 'type', 'nullable', 'format', 'default'];

/** Copies changed members from the rendered column. `editMembers` edits the shorthands. Returns whether the node has changed. */
function editColumn(node: YAMLMap, before: Column, after: Column): boolean {
  const was = parsedMap(columnText(before));
  const is = parsedMap(columnText(after));
  let isChanged = false;
  for (const member of shape) {
    if (String(was.get(member)) === String(is.get(member))) continue;
    isChanged = true;
    if (is.has(member)) node.set(member, is.get(member, true));
    else node.delete(member);
  }
  return isChanged;
}
