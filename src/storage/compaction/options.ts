/** When what is compacted, and the check that the answer can never be "nothing, for ever". */

import { fail } from '#failure';

export interface CompactionOptions {
  /** So many flushed tables are merged into a tier. */
  readonly flushedMin: number;
  /** With so many flushed tables no more are made. */
  readonly flushedStop: number;
  /** So many tiers are merged, with the bottom or with each other. */
  readonly tiersMin: number;
  /** With so many tiers the bottom is merged, whatever it costs. */
  readonly tiersMax: number;
  /** The bottom is merged when the tiers have at least this share of its bytes. */
  readonly bottomShare: number;
  /** A merge into the bottom stops after so many bytes of output and goes on as another job. */
  readonly jobBytes: number;
  /** Merges at the same time. One of them is kept for flushed tables. */
  readonly jobsMax: number;
  /** Now nothing may be merged into the bottom: something older is on its way. */
  readonly isBottomHeld?: boolean;
}

export const compactionDefaults: CompactionOptions = {
  flushedMin: 4,
  flushedStop: 8,
  tiersMin: 4,
  tiersMax: 8,
  bottomShare: 0.25,
  jobBytes: 256 * 1024 * 1024,
  jobsMax: 2,
};

/** Throws for options under which flushing could stop with nothing to compact. */
export function checkCompactionOptions(options: CompactionOptions): void {
  const { flushedMin, flushedStop, tiersMin, tiersMax, jobsMax } = options;
  refuseUnless(flushedMin >= 1, 'at least one flushed table makes a merge');
  refuseUnless(
    flushedMin <= flushedStop,
    `no more than ${flushedStop} flushed tables are made, but they are merged from ${flushedMin} on`,
  );
  refuseUnless(tiersMin >= 2, 'at least two tiers make a merge');
  refuseUnless(
    tiersMin <= tiersMax,
    `the bottom is due at ${tiersMax} tiers, but tiers are merged from ${tiersMin} on`,
  );
  refuseUnless(jobsMax >= 2, 'one merge is kept for flushed tables, so there must be two');
  refuseUnless(options.jobBytes > 0, 'a merge must be allowed to write something');
}

function refuseUnless(condition: boolean, detail: string): void {
  if (!condition) throw fail('invalid', `compaction would come to a halt: ${detail}`);
}
