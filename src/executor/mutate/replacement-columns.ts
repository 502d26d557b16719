/**
 * Adds the replacement columns to written rows while columns are being replaced, and clears the violations that such writes resolve
 * (docs/migrations.md).
 */

import type { Steps } from '#base';
import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { rowViolationKey } from '#layout';
import { conversionTrouble, type Datum, type Row, type Scalar } from '#value';
import type { MutationContext } from './mutation-context.ts';

/**
 * Returns the row with the cells of its replacement columns. `assigned` contains the schema ids of the columns that the write assigns. If an
 * unassigned column has a value that cannot be converted, the value was stored before, and its violation stays. For `inputRow`, see `Failure`.
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
    {
      execution: { table: table.name },
      constraint: { kind: 'format', table: table.name, column: column.name },
      inputRow,
      mentions: [table],
    },
  );
}

/** Deletes the violations of rows that are removed, or whose `assigned` columns are now valid. */
export function* clearViolations(
  mutationContext: MutationContext,
  table: Table,
  keys: readonly Uint8Array[],
  assigned?: ReadonlySet<number>,
): Steps<void> {
  for (const { physicalId, columns } of writeProtocol(table).violations) {
    if (assigned !== undefined && !columns.some((id) => assigned.has(id))) continue;
    for (let i = 0; i < keys.length; i++) {
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
      mutationContext.delete(rowViolationKey(physicalId, keys[i] as Uint8Array));
    }
  }
}
