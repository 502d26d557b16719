/** What one pass over a table looks for, and what it then says. */

import { rowsText } from '#failure';
import type { RowReader } from '#layout';
import type { ReadView } from '#storage';
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
export function foundText(rows: number): string {
  return rowsText(rows, rows >= countMax);
}
