/** Rows on their way to storage while columns are being replaced, and the violations that such writes set right (docs/migrations.md). */

import type { Steps } from '#base';
import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { rowViolationKey } from '#layout';
import { conversionTrouble, type Datum, type Row, type Scalar } from '#value';
import type { Writing } from './writing.ts';

/**
 * The row with the cells of the columns in the making. `assigned` says which columns (schema ids) the write gives a value; a value of
 * another column without an image has been there before: its violation stays. `inputRow`: see `Failure`.
 */
export function shadowed(
  table: Table,
  row: Row,
  assigned: ReadonlySet<number> | undefined,
  inputRow: number | undefined,
): Row {
  const cells = writeProtocol(table).shadows.map(({ target, ordinal, convert }): Datum => {
    const value = row[ordinal] as Scalar;
    const image = convert(value);
    if (image !== undefined) return image;
    if (assigned !== undefined && !assigned.has(target.id)) return null;
    const why = conversionTrouble(table.columns[ordinal] as Column, target, value);
    throw inconvertible(table, table.columns[ordinal] as Column, why, inputRow);
  });
  return [...row, ...cells];
}

function inconvertible(
  table: Table,
  column: Column,
  why: string,
  inputRow: number | undefined,
): Error {
  return fail(
    'constraint_violation',
    `column "${column.name}" of table "${table.name}" is being replaced: ${why}`,
    { execution: { table: table.name }, inputRow },
  );
}

/** Forgets the violations of rows that are gone, or whose `assigned` columns are right now. */
export function* clearViolations(
  writing: Writing,
  table: Table,
  keys: readonly Uint8Array[],
  assigned?: ReadonlySet<number>,
): Steps<void> {
  for (const { physicalId, columns } of writeProtocol(table).violations) {
    if (assigned !== undefined && !columns.some((id) => assigned.has(id))) continue;
    for (let i = 0; i < keys.length; i++) {
      const pause = writing.pause();
      if (pause !== undefined) yield pause;
      writing.delete(rowViolationKey(physicalId, keys[i] as Uint8Array));
    }
  }
}
