/** Goes through all rows of a table in bounded pieces, with nothing open in between: the visitor may write. */

import { afterKey } from '#base';
import type { Table } from '#catalog';
import { tableLayout } from '#layout';
import type { KeyRange } from '#storage';
import type { Row } from '#value';
import type { KeyedRows } from '../mutate/index-entries.ts';
import { eachEntry } from '../mutate/on-delete/referencing.ts';
import { FullRowDecoder } from '../mutate/targets.ts';
import type { Writing } from '../mutate/writing.ts';
import type { Steps } from '../steps.ts';

const pieceRows = 1024;
const pieceBytes = 1 << 20;

export function* eachPiece(
  writing: Writing,
  table: Table,
  visit: (rows: KeyedRows) => Steps<void>,
): Steps<void> {
  const decoder = new FullRowDecoder(table);
  let range: KeyRange = tableLayout(table).range;
  for (;;) {
    const keys: Uint8Array[] = [];
    const rows: Row[] = [];
    let bytes = 0;
    yield* eachEntry(writing, range, (cursor) => {
      const key = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
      keys.push(key);
      rows.push(decoder.decode(key, cursor.value.slice(cursor.valueFrom, cursor.valueTo)));
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
