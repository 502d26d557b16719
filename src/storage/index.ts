/**
 * Ordered bytes, durably: an LSM tree over named objects and a log.
 *
 * Nouns: a *commit* gets a *sequence*; a *view* (snapshot or transaction) shows everything up to one; a *version* is the list of sources
 * that are read at a moment, newest first: memtables, flushed tables, merged runs. Invariants: an acknowledged commit survives a crash, a commit is
 * never there in part; what a view shows is shown outside only once `durable(sequence)` holds; one writer, fenced by its epoch. Reads
 * are polled: what is in memory is answered at once. Start at `contract/store.ts` for the contract, `assembly/open.ts` and
 * `assembly/lsm-store.ts` for how the store is put together, `transaction/commit-lane.ts` for a commit, docs/storage-format.md for the
 * bytes.
 */

export { openStore, openStoreOrWait } from './assembly/open.ts';
export { GarbageWatch } from './cache/garbage-watch.ts';
export { storeDefaults } from './contract/limits.ts';
export type {
  CacheStatistics,
  RunStatistics,
  StoreStatistics,
  TableDamage,
} from './contract/statistics.ts';
export type {
  CommitOptions,
  CommitOutcome,
  Direction,
  EntryCursor,
  KeyRange,
  ReadView,
  Snapshot,
  Store,
  Transaction,
  WritePressure,
} from './contract/store.ts';
export { passedOver } from './cursor/passed-over.ts';
export { type ClaimRepair, examineForRepair } from './fitness/claim-repair.ts';
export type { Finding as StoreFinding } from './fitness/findings.ts';
export { examinePlace } from './fitness/place.ts';
export type { ObjectStatistics, RequestClass, RequestCounts } from './object/request-counts.ts';
export { type BucketSight, lookAtBucket } from './object/s3/look.ts';
export type { BucketOptions, S3Credentials, S3Options } from './object/s3/options.ts';
export { type Holder, StorageError, type StorageTrouble } from './object/trouble.ts';
export type { ObjectCacheStatistics } from './object-cache/options.ts';
export type { StoreOptions, StoreTuning } from './place/options.ts';
export { openReader, type ReaderOptions } from './reader/open-reader.ts';
export type { ReaderStore } from './reader/reader-store.ts';
export type { AreaOf } from './version/areas.ts';
