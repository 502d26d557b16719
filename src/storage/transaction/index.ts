/**
 * Serializable transactions over views of the store.
 *
 * Nouns: a *write batch* holds a transaction's own writes in key order, a *read set* the points and intervals it looked at (empty gaps
 * included), the *write history* which keys were committed when. The *commit lane* takes one commit after the other: validate,
 * log, memtable; a long one in stretches, unseen before its end. Only the answer waits for the log. Invariants: a sequence is the number of a log record;
 * blind writes and read-only transactions never conflict; whatever is not known for certain is a conflict. Start at `commit-lane.ts`.
 */

export { decodeCommit } from '../batch/commit-record.ts';
export type { Write, WriteBatch } from '../batch/write-batch.ts';
export { type LiveSequence, LiveSequences } from '../version/live-sequences.ts';
export { CommitLane, type CommitMemory, type LaneCounters } from './commit-lane.ts';
export { StoreTransaction } from './transaction.ts';
export { historyLimits, WriteHistory } from './write-history.ts';
