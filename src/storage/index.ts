/**
 * Durable storage of ordered bytes: an LSM tree over named objects and a log.
 *
 * Terms: a *commit* gets a *sequence*. A *view* (snapshot or transaction) shows all commits up to one sequence. A *version* is the list of
 * sources that are read at one moment, newest first: memtables, L0 SSTables and sorted runs. Invariants: an acknowledged commit survives a
 * crash. A commit is never visible in part. The caller shows the content of a view to clients only once `durable(sequence)` holds. A store
 * has one writer, fenced by its epoch. Reads are polled: data in memory is returned immediately. Start at `contract/store.ts` for the
 * contract, at `assembly/open.ts` and `assembly/lsm-store.ts` for how the store is assembled, at `transaction/commit-queue.ts` for a commit,
 * and at docs/storage-format.md for the bytes.
 */

export { openStore, openStoreOrWait } from './assembly/open.ts';
export { GarbageWatch } from './cache/garbage-watch.ts';
export { examineForRepair } from './check/claim-repair.ts';
export { examinePlace } from './check/place.ts';
export {
  asciiFlag,
  type BodyShape,
  endWidthMask,
  hasShape,
  parseShape,
  shapeOf,
} from './columns/body-shape.ts';
export { columnEncodings, rowSpace } from './columns/column-format.ts';
export { appendInt64, readInt32, readInt64, readLong } from './columns/int-cell.ts';
export { KeyBatch } from './contract/key-batch.ts';
export { storeDefaults } from './contract/limits.ts';
export { eachEntry, keyUnder, readValue } from './contract/reading.ts';
export { type SortedEntries, wordsOfEntry } from './contract/sorted-entries.ts';
export type { StoreStatistics, TableDamage } from './contract/statistics.ts';
export type {
  CommitOutcome,
  Direction,
  EntryCursor,
  Ingestion,
  KeyRange,
  ReadView,
  Snapshot,
  Store,
  Transaction,
} from './contract/store.ts';
export type {
  BlockSpan,
  BlockValues,
  FoundValue,
  NumberBound,
  StoredBlock,
  StoredColumn,
  TextBound,
  ZoneBound,
} from './contract/stored-block.ts';
export { passedOver } from './cursor/passed-over.ts';
export { lockQuietly } from './object/directory-lock.ts';
export { spillDirectory } from './object/directory-tree.ts';
export { isOpenToOthers, shareDirectory } from './object/permissions.ts';
export { ReadEvidence, withReadEvidence } from './object/read-evidence.ts';
export { type RequestCounts, sumOfRequests } from './object/request-counts.ts';
export { bucketActivity } from './object/s3/bucket-activity.ts';
export { readCredentials } from './object/s3/credentials-file.ts';
export { type BucketSight, lookAtBucket } from './object/s3/look.ts';
export type { BucketOptions, S3Credentials } from './object/s3/options.ts';
export { isDamage, StorageError, type StorageFault } from './object/storage-fault.ts';
export type { StoreOptions, StoreTuning } from './place/options.ts';
export { spaceReserve } from './place/space-reserve.ts';
export { openReader } from './reader/open-reader.ts';
export type { ReaderStore } from './reader/reader-store.ts';
export type { SpillFile } from './spill/spill-file.ts';
export { openSpillSpace, SpillSpace } from './spill/spill-space.ts';
export { textZoneBytes } from './table/text-zones.ts';
export { noArea } from './version/change-tracker.ts';
