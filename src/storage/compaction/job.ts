/** One bounded piece of compaction: which tables merge into which level, as data. */

import type { KeyRange } from '../contract/store.ts';
import type { TableEntry } from '../manifest/manifest.ts';

/** Levels of a `Run`: flushed tables, merged runs (tiers) above the bottom, and the one bottom run. */
export const levels = { flushed: 0, tier: 1, bottom: 2 } as const;

export interface CompactionJob {
  /**
   * `flushed` makes a tier of whole runs; `tiers` merges tiers into the next older one, and `bottom` into the bottom run, both slice by
   * slice; `rewrite` puts tables of one run in the place of others, without what was dropped of them.
   */
  readonly kind: 'flushed' | 'tiers' | 'bottom' | 'rewrite';
  /** Runs newest first, each a list of tables in key order. */
  readonly inputs: readonly (readonly TableEntry[])[];
  /** `tiers`: all tables of the tier that is merged into. Those outside the slice stay as they are. */
  readonly into?: readonly TableEntry[];
  /** Keys that this job may merge; the whole key space unless it is a slice. */
  readonly range: KeyRange;
  readonly level: number;
  /** Nothing older lies below: deletions that every snapshot sees may vanish. */
  readonly isBottom: boolean;
  /** After so many bytes of output the job stops, and what is left becomes another job. */
  readonly stopAfterBytes: number | undefined;
}

export interface CompactionResult {
  readonly outputs: readonly TableEntry[];
  /** Set when the job stopped early, at a whole user key: inputs still hold the keys from here on. */
  readonly resumeAt: Uint8Array | undefined;
  readonly counters: CompactionCounters;
}

export interface CompactionCounters {
  inputEntries: number;
  outputEntries: number;
  outputBytes: number;
}
