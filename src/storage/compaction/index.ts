/**
 * Compaction: keeps the number of places to look in small, and gives up what nobody can see any more.
 *
 * Nouns: the *tree* is the manifest's list of runs, newest first: flushed tables, then *tiers* (merged runs), then the one *bottom*
 * run. `pickJob` chooses a *job* from the tree, `runCompaction` merges its inputs into new tables, `applyJob` says what the tree is
 * then. All three are pure but for the seams they are given; whoever owns the manifest publishes, and opens and closes tables.
 *
 * Invariants: runs are in the order of age, so a job's inputs are neighbours; no two files of a run hold versions of one key; a job
 * that stops early stops at a whole key, and its inputs go on from there.
 */

export { isBefore, RangeSet } from '../key/range-set.ts';
export { runCompaction } from '../merge/run-merge.ts';
export type { CompactionTask, TableOutput } from '../merge/task.ts';
export { applyJob, dropRanges } from './apply-job.ts';
export { setAside } from './around-damage.ts';
export {
  type CompactionCounters,
  type CompactionJob,
  type CompactionResult,
  levels,
} from './job.ts';
export { type CompactionOptions, checkCompactionOptions, compactionDefaults } from './options.ts';
export { pickJob, pickTidy } from './pick-job.ts';
export { type Littered, pickRewrite } from './pick-rewrite.ts';
