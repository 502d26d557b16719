/** Values on their way into a column: NULL and the length of identifiers are checked, and the column's format is put on. */

import type { Steps } from '#base';
import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { ByteString, type Datum, identifierLength } from '#value';
import { lengthOfPieces, openPiece, type Pieces, valueAt } from '../batch/pieces.ts';
import { slotBytes } from '../batch/prices.ts';
import type { Writing } from './writing.ts';

/** The values as the column holds them. Fails with `constraint_violation` or `invalid`. */
export function storedValues(
  writing: Writing,
  table: Table,
  column: Column,
  values: Pieces,
): Pieces | Steps<Pieces> {
  refuseNull(table, column, values);
  return column.type === 'bytes' ? formatted(writing, table, column, values) : values;
}

/** Whether a written row may have NULL there. */
export function takesNull(table: Table, column: Column): boolean {
  return column.nullable && !writeProtocol(table).notNull.has(column.id);
}

/** `inputRow`: see `Failure`. */
export function nullRefused(table: Table, column: Column, inputRow: number): Error {
  return fail(
    'constraint_violation',
    `column "${column.name}" of table "${table.name}" takes no NULL`,
    { execution: { table: table.name }, inputRow },
  );
}

/** Fails with `constraint_violation` when the column takes no NULL and there is one. In one go: a look at a value takes about a nanosecond. */
export function refuseNull(table: Table, column: Column, values: Pieces): void {
  if (takesNull(table, column) || !values.some((piece) => piece.includes(null))) return;
  throw nullRefused(table, column, placeOfNull(values));
}

function placeOfNull(values: Pieces): number {
  let before = 0;
  for (const piece of values) {
    const at = piece.indexOf(null);
    if (at >= 0) return before + at;
    before += piece.length;
  }
  return before;
}

function* formatted(writing: Writing, table: Table, column: Column, values: Pieces): Steps<Pieces> {
  const count = lengthOfPieces(values);
  writing.hold(count * slotBytes);
  const stored: Pieces = [[]];
  for (let i = 0; i < count; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    openPiece(stored).push(inFormat(table, column, valueAt(values, i), i));
  }
  return stored;
}

/** A value of a column of bytes as the column holds it. `inputRow`: see `Failure`. */
export function inFormat(table: Table, column: Column, value: Datum, inputRow: number): Datum {
  if (value === null) return null;
  const format = column.identifierFormat;
  const length = format === undefined ? undefined : identifierLength[format];
  const { bytes, format: held } = value as ByteString;
  if (length !== undefined && bytes.length !== length) {
    throw fail(
      'invalid',
      `column "${column.name}" of table "${table.name}" has the format ${format}: ` +
        `a value needs ${length} bytes, not ${bytes.length}`,
      { execution: { table: table.name }, inputRow },
    );
  }
  return held === format ? value : new ByteString(bytes, format);
}
