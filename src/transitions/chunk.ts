/** Reads a chunk of stored rows, the work of one step of a scan. */

import { afterKey } from '#base';
import type { Table } from '#catalog';
import { tableLayout } from '#layout';
import { eachEntry, keyUnder, type ReadView } from '#storage';
import type { Datum, Row } from '#value';

export interface Chunk {
  readonly keys: readonly Uint8Array[];
  /** Rows in catalog order; columns that were not requested are NULL. */
  readonly rows: readonly Row[];
}

/** A range of at most `rowsMax` rows in key order, after the row with the key `after`; from the first row if that is undefined. */
export interface ScanRange {
  readonly after: Uint8Array | undefined;
  readonly rowsMax: number;
}

/** The number of rows that a step has processed, and the key of the last one. */
export interface Scanned {
  readonly count: number;
  readonly last: Uint8Array | undefined;
}

export function scannedOf({ keys }: Chunk): Scanned {
  return { count: keys.length, last: keys.at(-1) };
}

/** Reads the rows of the range. */
export async function readChunk(
  view: ReadView,
  table: Table,
  ordinals: readonly number[],
  { after, rowsMax }: ScanRange,
): Promise<Chunk> {
  const layout = tableLayout(table);
  const { to } = layout.range;
  const range = after === undefined ? layout.range : { from: afterKey(after), to };
  const reader = layout.reader();
  const keys: Uint8Array[] = [];
  const rows: Row[] = [];
  const width = table.columns.length;
  await eachEntry(view, range, (cursor) => {
    const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
    reader.open(key, keyFrom, keyTo, value, valueFrom, valueTo);
    const row: Datum[] = new Array(width).fill(null);
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i] as number;
      row[ordinal] = reader.cell(ordinal);
    }
    keys.push(keyUnder(cursor));
    rows.push(row);
    return keys.length < rowsMax;
  });
  return { keys, rows };
}
