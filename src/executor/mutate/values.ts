/** Values on their way into a column: NULL and the length of identifiers are checked, and the column's format is put on. */

import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { ByteString, type Datum, identifierLength } from '#value';
import { slotBytes } from '../batch/prices.ts';
import type { Datums } from '../batch/vector.ts';
import type { Steps } from '../steps.ts';
import type { Writing } from './writing.ts';

/** The values as the column holds them. Fails with `constraint_violation` or `invalid`. */
export function storedValues(
  writing: Writing,
  table: Table,
  column: Column,
  values: Datums,
): Datums | Steps<Datums> {
  refuseNull(table, column, values);
  return column.type === 'bytes' ? formatted(writing, table, column, values) : values;
}

/** Fails with `constraint_violation` when the column takes no NULL and there is one. In one go: a look at a value takes about a nanosecond. */
export function refuseNull(table: Table, column: Column, values: Datums): void {
  const takesNull = column.nullable && !writeProtocol(table).notNull.has(column.id);
  if (takesNull || !values.includes(null)) return;
  throw fail(
    'constraint_violation',
    `column "${column.name}" of table "${table.name}" takes no NULL`,
    { execution: { table: table.name } },
  );
}

function* formatted(writing: Writing, table: Table, column: Column, values: Datums): Steps<Datums> {
  writing.hold(values.length * slotBytes);
  const stored: Datums = [];
  for (let i = 0; i < values.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    stored.push(inFormat(table, column, values[i] as Datum));
  }
  return stored;
}

function inFormat(table: Table, column: Column, value: Datum): Datum {
  if (value === null) return null;
  const format = column.identifierFormat;
  const length = format === undefined ? undefined : identifierLength[format];
  const { bytes, format: held } = value as ByteString;
  if (length !== undefined && bytes.length !== length) {
    throw fail(
      'invalid',
      `column "${column.name}" of table "${table.name}" has the format ${format}: ` +
        `a value needs ${length} bytes, not ${bytes.length}`,
      { execution: { table: table.name } },
    );
  }
  return held === format ? value : new ByteString(bytes, format);
}
