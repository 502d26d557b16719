/** Visits all rows of a table in bounded chunks. No cursor is open between two chunks, so that the visitor may write. */

import { afterKey, type Steps } from '#base';
import type { Table } from '#catalog';
import { tableLayout } from '#layout';
import type { KeyRange } from '#storage';
import type { Datum, Row } from '#value';
import type { NumberedRows } from '../mutate/index-entries.ts';
import type { MutationContext } from '../mutate/mutation-context.ts';
import { eachEntry } from '../mutate/on-delete/referring.ts';

const pieceRows = 1024;
const pieceBytes = 1 << 20;

/** Columns without their ordinal in `ordinals` are NULL in the visited rows. */
export function* eachPiece(
  mutationContext: MutationContext,
  table: Table,
  ordinals: readonly number[],
  visit: (rows: NumberedRows) => Steps<void>,
): Steps<void> {
  const reader = tableLayout(table).reader();
  const width = table.columns.length;
  let range: KeyRange = tableLayout(table).range;
  for (;;) {
    const keys: Uint8Array[] = [];
    const rows: Row[] = [];
    let bytes = 0;
    yield* eachEntry(mutationContext, range, (cursor) => {
      const key = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
      keys.push(key);
      reader.open(key, 0, key.length, cursor.value, cursor.valueFrom, cursor.valueTo);
      const row: Datum[] = new Array(width).fill(null);
      for (let i = 0; i < ordinals.length; i++) {
        const ordinal = ordinals[i] as number;
        row[ordinal] = reader.cell(ordinal);
      }
      rows.push(row);
      bytes += cursor.valueTo - cursor.valueFrom;
      return keys.length < pieceRows && bytes < pieceBytes;
    });
    const last = keys.at(-1);
    if (last === undefined) return;
    yield* visit({ keys, rows });
    if (keys.length < pieceRows && bytes < pieceBytes) return;
    range = { from: afterKey(last), to: range.to };
  }
}
