/** The checks of one pass over a table, and their findings. */

import { rowsText } from '#failure';
import type { RowReader } from '#layout';
import type { ReadView } from '#storage';
import type { DiffFinding } from '../finding.ts';

export interface RowCheck {
  /** Checks one row. The reader is positioned on the row only until the call returns. */
  see(reader: RowReader): void;
  /** Executes the checks that need other reads. Called periodically, and after the last row. */
  settle?(view: ReadView): Promise<void>;
  /** True if no further row can change the finding. */
  readonly isDone: boolean;
  /** Returns the finding, `undefined` if there is none. */
  finding(): DiffFinding | undefined;
}

/** Maximum number of counted rows. A finding with this number contains the words "at least". */
export const countMax = 1_000_000;

/** Returns a number of rows in the words of findings. */
export function foundText(rows: number): string {
  return rowsText(rows, rows >= countMax);
}
