/** Thresholds of compaction, and a check that they cannot stop flushes while no compaction is due. */

import { fail } from '#failure';

export interface CompactionOptions {
  /** Number of L0 SSTables that triggers a compaction into a tier. */
  readonly flushedMin: number;
  /** Number of L0 SSTables at which flushing stops. */
  readonly flushedStop: number;
  /** Number of tiers that are compacted, with the bottom run or with each other. */
  readonly tiersMin: number;
  /** Number of tiers at which they are compacted into the bottom run at any cost. */
  readonly tiersMax: number;
  /** Tiers are compacted into the bottom run if they have at least this share of its bytes. */
  readonly bottomShare: number;
  /** A compaction into the bottom run stops after this many bytes of output; another job continues it. */
  readonly jobBytes: number;
  /** Maximum number of concurrent compactions. One of them is reserved for L0 SSTables. */
  readonly jobsMax: number;
  /** True while nothing may be compacted into the bottom run, because older entries are being ingested below it. */
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

/** Throws if flushing could stop under these options while no compaction is due. */
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
