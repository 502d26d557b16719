/**
 * One bounded piece of compaction as data: which tables merge into which level. Compaction keeps the number of places to look in small, and
 * gives up what nobody can see any more.
 *
 * Nouns: the *tree* is the manifest's list of runs, newest first: flushed tables, then *tiers* (merged runs), then the one *bottom* run.
 * `pickJob` chooses a *job* from the tree, a merge (`merge/`) makes new tables of its inputs, `applyJob` says what the tree is then. This
 * room is pure; the publisher owns the manifest, opens and closes tables.
 *
 * Invariants: runs are in the order of age, flushed ones first, so a job's inputs are neighbours; no two files of a run hold versions of one key; a job that
 * stops early stops at a whole key, and its inputs go on from there.
 */

import type { KeyRange } from '../contract/store.ts';
import type { TableEntry } from '../manifest/manifest.ts';

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
