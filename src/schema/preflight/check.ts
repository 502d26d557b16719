/** What one pass over a table looks for, and what it then says. */

import { columnOrdinal, columnsOf, type Table } from '#catalog';
import type { RowReader } from '#layout';
import type { ReadView } from '#storage';
import { shownKey } from '#value';
import type { SchemaFinding } from '../finding.ts';

export interface RowCheck {
  /** Looks at one row. The reader stands on it until the call ends. */
  see(reader: RowReader): void;
  /** Called now and then, and at the end: what takes other reads is done here. */
  settle?(view: ReadView): Promise<void>;
  /** Whether no further row can change what is said. */
  readonly isDone: boolean;
  /** Undefined when there is nothing to say. */
  finding(): SchemaFinding | undefined;
}

/** Counting ends here: a finding of so many rows says "at least". */
export const countMax = 1_000_000;

/** A number of rows as findings say it. */
export function rowsText(rows: number): string {
  const count = rows >= countMax ? `at least ${rows}` : String(rows);
  return `${count} ${rows === 1 ? 'row' : 'rows'}`;
}

/** The primary key of the row that the reader stands on. */
export function keyOf(table: Table, reader: RowReader): string {
  const names = columnsOf(table, table.primaryKey).map(({ name }) => name);
  const values = table.primaryKey.map((id) => reader.cell(columnOrdinal(table, id)));
  return shownKey(names, values);
}
