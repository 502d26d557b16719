/** The receiver of a result that is passed on in parts while its query runs, instead of being collected in memory. */

import type { Pending } from '#base';
import type { OutputColumn, Row } from '#value';

export interface ResultSink {
  /**
   * Takes the next rows of the result, in order. Returns a wait if no further rows may follow before it resolves; the rows are taken in any case.
   * Never called with no rows.
   */
  take(rows: readonly Row[], columns: readonly OutputColumn[]): Pending | undefined;
}
