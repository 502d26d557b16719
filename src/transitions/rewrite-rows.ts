/**
 * Rewrites the rows that still contain cells of a dropped column. No readable value changes, so that rows are not checked
 * (`executor/mutate/row-change.ts`).
 */

import { type Table, writeProtocol } from '#catalog';
import { rowHoldsColumn, tableLayout } from '#layout';
import { eachEntry, type KeyRange, keyUnder, type Transaction } from '#storage';
import type { Datum, Row, Scalar } from '#value';

const examinedMax = 4096;
const rewrittenMax = 512;

/** Processes rows of a range up to a bound. Returns the key of the last one; undefined at the end of the range. */
export async function rewriteWithout(
  transaction: Transaction,
  table: Table,
  range: KeyRange,
  physicalId: number,
): Promise<Uint8Array | undefined> {
  const layout = tableLayout(table);
  const reader = layout.reader();
  const { shadows } = writeProtocol(table);
  const found: { readonly key: Uint8Array; readonly row: Row }[] = [];
  let examined = 0;
  let last: Uint8Array | undefined;
  await eachEntry(transaction, range, (cursor) => {
    const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
    examined++;
    last = keyUnder(cursor);
    if (rowHoldsColumn(value, valueFrom, physicalId)) {
      reader.open(key, keyFrom, keyTo, value, valueFrom, valueTo);
      const row: Datum[] = table.columns.map((_, ordinal) => reader.cell(ordinal));
      for (const { ordinal, convert } of shadows) row.push(convert(row[ordinal] as Scalar) ?? null);
      found.push({ key: last, row });
    }
    return examined < examinedMax && found.length < rewrittenMax;
  });
  for (const { key, row } of found) transaction.put(key, layout.bodyOfRow(row));
  return examined < examinedMax && found.length < rewrittenMax ? undefined : last;
}
