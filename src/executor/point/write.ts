/** What a compiled mutation of one row gives. */

import type { Steps } from '#base';
import type { Row } from '#value';
import type { Writing } from '../mutate/writing.ts';

export interface PointWritten {
  /** The row as the statement returns it; none when no row has the key. */
  readonly rows: readonly Row[];
  /** What follows from the row and may have to wait: to be run to its end. */
  readonly rest?: Steps<void> | undefined;
}

/** Undefined, with nothing written, when operators have to do it: a row has to be waited for or did not come alone, or a value cannot be computed. */
export type PointWrite = (writing: Writing) => PointWritten | undefined;
