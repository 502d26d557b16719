/** Checks single values: whether a column accepts NULL, and the form in which it stores values. */

import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { ByteString, type Datum, identifierLength } from '#value';

/** Returns whether a written row may have NULL in the column. */
export function takesNull(table: Table, column: Column): boolean {
  return column.nullable && !writeProtocol(table).notNull.has(column.id);
}

/**
 * Returns the value in the form in which the column stores it. Fails with `constraint_violation` for NULL, and with `invalid` for an identifier
 * of another length. For `inputRow`, see `Failure`.
 */
export function storedValue(
  table: Table,
  column: Column,
  value: Datum,
  inputRow: number | undefined,
): Datum {
  const details = () => ({ execution: { table: table.name }, inputRow, mentions: [table] });
  const named = () => `column "${column.name}" of table "${table.name}"`;
  if (value === null) {
    const constraint = { kind: 'not_null', table: table.name, column: column.name } as const;
    const detail = `${named()} does not accept NULL`;
    throw fail('constraint_violation', detail, { ...details(), constraint });
  }
  if (column.type !== 'bytes') return value;
  const format = column.identifierFormat;
  const length = format === undefined ? undefined : identifierLength[format];
  const { bytes, format: held } = value as ByteString;
  if (length === undefined || bytes.length === length) {
    return held === format ? value : new ByteString(bytes, format);
  }
  const needed = `a value needs ${length} bytes, not ${bytes.length}`;
  throw fail('invalid', `${named()} has the format ${format}: ${needed}`, details());
}
