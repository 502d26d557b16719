/** Counts the entries of a scan without decoding them, and without reading them where the store knows their number. */

import type { Pending } from '#base';
import type { EntryCursor } from '#storage';
import { batchRowsMax } from '../../batch/vector.ts';

export class EntryCount {
  /** The number of entries since the last call of `take`. */
  private rows = 0;

  /** Counts the next entries, about a batch or more. Returns true if no entry is left, or a wait, after which the caller calls again. */
  count(cursor: EntryCursor): boolean | Pending {
    while (this.rows < batchRowsMax) {
      const step = cursor.next();
      if (step instanceof Promise) return step;
      if (!step) return true;
      const run = cursor.takeRun?.(batchRowsMax);
      this.rows += run === undefined ? 1 : run.to - run.from;
      this.rows += cursor.takeCount?.() ?? 0;
    }
    return false;
  }

  /** Returns the number of counted entries, and starts from 0 again. */
  take(): number {
    const { rows } = this;
    this.rows = 0;
    return rows;
  }
}
