/** The contract between a spool and the rows that it holds. */

import type { Pending } from '#base';
import type { Batch } from '../../batch/batch.ts';

export interface SpoolContents {
  /** Work of `restart` and `next`, in rows. */
  readonly work: number;
  /** Reads the whole input. After a wait, call it again. */
  fill(): Pending | undefined;
  /** Starts a run: `next` returns the rows of the current values of the probe. */
  restart(): void;
  /** Returns the next rows of the run, at most `wanted`; undefined at the end. */
  next(wanted: number): Batch | undefined;
}
