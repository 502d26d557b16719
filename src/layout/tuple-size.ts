/** The size limit of keys. Writers check it, so that no stored key exceeds it. */

import { columnsOf, tupleFrom } from '#catalog';
import { columnsText, fail } from '#failure';
import type { IndexLayout, TableLayout } from './layout.ts';

/** Maximum size of an encoded primary-key or index tuple in bytes. */
export const indexTupleBytesMax = 16 * 1024;

/** Throws `invalid` if the key of a row, which has `keyBytes` bytes, is too long. */
export function checkRowKey(layout: TableLayout, keyBytes: number): void {
  const bytes = keyBytes - tupleFrom;
  if (bytes > indexTupleBytesMax)
    throw tooLong(`the primary key of table "${layout.table.name}"`, bytes);
}

/** Throws `invalid` if the index tuple of an entry is too long. The row key in the entry does not count. */
export function checkIndexEntry(
  layout: IndexLayout,
  entry: { readonly key: Uint8Array; readonly value: Uint8Array },
  rowKey: Uint8Array,
): void {
  const suffix = entry.value.length === 0 ? rowKey.length - tupleFrom : 0;
  checkIndexTuple(layout, entry.key.length - tupleFrom - suffix);
}

export function checkIndexTuple(layout: IndexLayout, bytes: number): void {
  if (bytes <= indexTupleBytesMax) return;
  const { table, index } = layout;
  const columns = columnsText(columnsOf(table, index.columns));
  throw tooLong(`index "${index.name}" of table "${table.name}" (${columns})`, bytes);
}

function tooLong(what: string, bytes: number): Error {
  return fail(
    'invalid',
    `a value of ${what} has ${bytes} bytes when encoded, at most ${indexTupleBytesMax} are allowed`,
  );
}
