/** Keeps the indexes of a table in step with its rows, and unique ones unique on the resulting state. */

import { equalBytes } from '#base';
import { checkIndexEntry, type Index, type IndexLayout, indexLayout, type Table } from '#catalog';
import { fail } from '#failure';
import type { Row } from '#value';
import type { Steps } from '../steps.ts';
import { firstRepeated, keyOrder } from './key-order.ts';
import type { Writing } from './writing.ts';

/** As a layout makes it of a row. */
export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Rows by number, with their keys. */
export interface KeyedRows {
  readonly keys: readonly Uint8Array[];
  readonly rows: readonly Row[];
}

export function* addEntries(
  writing: Writing,
  table: Table,
  index: Index,
  added: KeyedRows,
): Steps<void> {
  const layout = indexLayout(table, index);
  const entries: Entry[] = [];
  for (let i = 0; i < added.rows.length; i++) {
    const rowKey = added.keys[i] as Uint8Array;
    const entry = layout.entry(added.rows[i] as Row, rowKey);
    checkIndexEntry(layout, entry, rowKey);
    entries.push(entry);
  }
  yield* putEntries(writing, layout, entries);
}

export function removeEntries(
  writing: Writing,
  table: Table,
  index: Index,
  removed: KeyedRows,
): void {
  const layout = indexLayout(table, index);
  for (let i = 0; i < removed.rows.length; i++) {
    writing.delete(layout.entry(removed.rows[i] as Row, removed.keys[i] as Uint8Array).key);
  }
}

/** Replaces the entries of rows whose tuple changed: first all old ones go, so that values may be swapped. */
export function* changeEntries(
  writing: Writing,
  table: Table,
  index: Index,
  before: KeyedRows,
  after: readonly Row[],
): Steps<void> {
  const layout = indexLayout(table, index);
  const fresh: Entry[] = [];
  for (let i = 0; i < after.length; i++) {
    const rowKey = before.keys[i] as Uint8Array;
    const old = layout.entry(before.rows[i] as Row, rowKey);
    const entry = layout.entry(after[i] as Row, rowKey);
    if (equalBytes(old.key, entry.key)) continue;
    checkIndexEntry(layout, entry, rowKey);
    writing.delete(old.key);
    fresh.push(entry);
  }
  yield* putEntries(writing, layout, fresh);
}

function* putEntries(
  writing: Writing,
  layout: IndexLayout,
  entries: readonly Entry[],
): Steps<void> {
  if (layout.index.unique) yield* checkUnique(writing, layout, entries);
  for (let i = 0; i < entries.length; i++) {
    const { key, value } = entries[i] as Entry;
    writing.put(key, value);
  }
}

/** Entries of tuples without NULL, whose value names the row, must be new. */
function* checkUnique(
  writing: Writing,
  layout: IndexLayout,
  entries: readonly Entry[],
): Steps<void> {
  const keys: Uint8Array[] = [];
  for (const entry of entries) if (entry.value.length > 0) keys.push(entry.key);
  const order = keyOrder(keys);
  if (firstRepeated(keys, order) >= 0) throw duplicate(layout.table, layout.index);
  yield* writing.readAll(keys, order, (_, value) => {
    if (value !== undefined) throw duplicate(layout.table, layout.index);
  });
}

export function duplicate(table: Table, index: Index): Error {
  return fail(
    'constraint_violation',
    `unique index "${index.name}" of table "${table.name}" would hold the same values twice`,
    { execution: { table: table.name, index: index.name } },
  );
}
