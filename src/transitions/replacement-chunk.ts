/**
 * Adds the cells of a replacement column to a chunk of rows. A value that cannot be converted becomes NULL and is recorded as a violation. No
 * program reads the column yet, so that rows are not checked (`executor/mutate/row-change.ts`).
 */

import { encodeUtf8, invariant } from '#base';
import {
  type Column,
  physicalIdOf,
  type ShadowColumn,
  sameRowsKey,
  type Table,
  type Transition,
  writeProtocol,
} from '#catalog';
import { rowViolationKey, tableLayout } from '#layout';
import type { Transaction } from '#storage';
import { conversionTrouble, type Datum, type Row, type Scalar } from '#value';
import { type Chunk, readChunk } from './chunk.ts';

const noValue = new Uint8Array(0);

export async function replacementChunk(
  transaction: Transaction,
  table: Table,
  transition: Transition,
  from: Parameters<typeof readChunk>[3],
): Promise<Chunk> {
  const layout = tableLayout(table);
  const { shadows } = writeProtocol(table);
  const ordinals = table.columns.map((_, ordinal) => ordinal);
  const own = shadows.find(({ target }) => target.physicalId === physicalIdOf(transition));
  invariant(own !== undefined, 'an active replacement has its shadow');
  const chunk = await readChunk(transaction, table, ordinals, from);
  chunk.rows.forEach((row, i) => {
    const key = chunk.keys[i] as Uint8Array;
    const cells = shadows.map((shadow): Datum => image(shadow, row) ?? null);
    if (image(own, row) === undefined) {
      transaction.put(
        rowViolationKey(own.target.physicalId, key),
        encodeUtf8(cause(table, own, row)),
      );
    }
    transaction.put(key, layout.bodyOfRow([...row, ...cells]));
  });
  transaction.put(sameRowsKey, noValue);
  return chunk;
}

function image({ ordinal, convert }: ShadowColumn, row: Row): Scalar | undefined {
  return convert(row[ordinal] as Scalar);
}

function cause(table: Table, { ordinal, target }: ShadowColumn, row: Row): string {
  const column = table.columns[ordinal] as Column;
  return conversionTrouble(column, target, row[ordinal] as Scalar);
}
