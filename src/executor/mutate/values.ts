/** Values on their way into a column: NULL and the length of identifiers are checked, and the column's format is put on. */

import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { ByteString, type Datum, identifierLength } from '#value';
import type { Vector } from '../batch/vector.ts';

/** The values as the column holds them. Fails with `constraint_violation` or `invalid`. */
export function storedValues(table: Table, column: Column, values: Vector): Vector {
  const takesNull = column.nullable && !writeProtocol(table).notNull.has(column.id);
  if (!takesNull) refuseNull(table, column, values);
  return column.type === 'bytes' ? formatted(table, column, values) : values;
}

function refuseNull(table: Table, column: Column, values: Vector): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) continue;
    throw fail(
      'constraint_violation',
      `column "${column.name}" of table "${table.name}" takes no NULL`,
      { execution: { table: table.name } },
    );
  }
}

function formatted(table: Table, column: Column, values: Vector): Vector {
  const format = column.identifierFormat;
  const length = format === undefined ? undefined : identifierLength[format];
  return values.map((value): Datum => {
    if (value === null) return null;
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
  });
}
