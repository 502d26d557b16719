/**
 * One bounded compaction as data: which SSTables are merged into which level. Compaction limits the number of runs that a read has to
 * search, and removes versions that no snapshot can see.
 *
 * Terms: the *tree* is the list of runs in the manifest, newest first: L0 SSTables, then *tiers* (compacted runs), then the one *bottom*
 * run. `pickJob` chooses a *job* from the tree, a merge (`merge/`) creates new SSTables from its inputs, and `applyJob` returns the
 * resulting tree. This module is pure; the publisher owns the manifest and opens and closes SSTables.
 *
 * Each run can have a *past run*: older versions that views still see.
 *
 * Invariants: runs are ordered by age, L0 first, so the inputs of a job are adjacent. No two files of a run contain versions of one key. A
 * job that stops early stops between two keys, and its inputs keep the remaining keys.
 */

import type { KeyRange } from '../contract/store.ts';
import type { PastTable, TableEntry } from '../manifest/manifest.ts';

export interface CompactionJob {
  /**
   * `flushed` compacts whole L0 runs into a tier. `tiers` compacts tiers into the next older tier and `bottom` into the bottom run, both
   * slice by slice. `rewrite` replaces SSTables of one run by SSTables without dropped keys.
   */
  readonly kind: 'flushed' | 'tiers' | 'bottom' | 'rewrite';
  /** Runs newest first, each a list of SSTables in key order. */
  readonly inputs: readonly (readonly TableEntry[])[];
  /** The part of the past run of each input that the job merges with it. */
  readonly past: readonly (readonly PastTable[])[];
  /** Only for `tiers` and `bottom`: all SSTables of the target run. The ones outside the slice stay unchanged. */
  readonly into?: readonly TableEntry[];
  /** Keys that this job may compact; the whole key space unless the job is a slice. */
  readonly range: KeyRange;
  readonly level: number;
  /** True if no older run exists below the output, so that tombstones that every snapshot sees can be removed. */
  readonly isBottom: boolean;
  /** The job stops after this many bytes of output, and another job compacts the rest; `undefined` for no limit. */
  readonly stopAfterBytes: number | undefined;
}
