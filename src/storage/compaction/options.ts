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
  refuseUnless(flushedMin >= 1, 'flushedMin must be at least 1');
  refuseUnless(
    flushedMin <= flushedStop,
    `flushing stops at ${flushedStop} L0 SSTables, but they are compacted only from ${flushedMin} on`,
  );
  refuseUnless(tiersMin >= 2, 'tiersMin must be at least 2');
  refuseUnless(
    tiersMin <= tiersMax,
    `tiers are compacted into the bottom run at ${tiersMax}, but with each other only from ${tiersMin} on`,
  );
  refuseUnless(
    jobsMax >= 2,
    'jobsMax must be at least 2, since one compaction is reserved for L0 SSTables',
  );
  refuseUnless(options.jobBytes > 0, 'jobBytes must be above 0');
}

function refuseUnless(condition: boolean, detail: string): void {
  if (!condition) throw fail('invalid', `compaction would stop permanently: ${detail}`);
}
