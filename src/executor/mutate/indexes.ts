/** All indexes of a table in step with its rows: those in use, and those in the making. */

import type { Steps } from '#base';
import { type Index, type Table, writeProtocol } from '#catalog';
import type { Row } from '#value';
import { changeRows, enterRows, leaveRows } from './building-entries.ts';
import {
  type AddedRows,
  addEntries,
  changeEntries,
  type KeyedRows,
  removeEntries,
} from './index-entries.ts';
import type { Writing } from './writing.ts';

export function* indexRows(writing: Writing, table: Table, added: AddedRows): Steps<void> {
  for (const index of table.indexes) yield* addEntries(writing, table, index, added);
  for (const index of writeProtocol(table).building) {
    yield* enterRows(writing, table, index, added);
  }
}

export function* unindexRows(writing: Writing, table: Table, removed: KeyedRows): Steps<void> {
  for (const index of table.indexes) yield* removeEntries(writing, table, index, removed);
  for (const index of writeProtocol(table).building) {
    yield* leaveRows(writing, table, index, removed);
  }
}

/** `changed`: schema ids of the columns whose values may differ. */
export function* reindexRows(
  writing: Writing,
  table: Table,
  changed: ReadonlySet<number>,
  before: KeyedRows,
  after: readonly Row[],
): Steps<void> {
  const isTouched = (index: Index) => index.columns.some((id) => changed.has(id));
  for (const index of table.indexes) {
    if (isTouched(index)) yield* changeEntries(writing, table, index, before, after);
  }
  for (const index of writeProtocol(table).building) {
    if (isTouched(index)) yield* changeRows(writing, table, index, before, after);
  }
}
