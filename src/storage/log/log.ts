/**
 * The interface of the write-ahead log: numbered, atomic records in one order.
 *
 * Records are numbered from 1 over the whole life of a store, across epochs and segments. `append`
 * only adds a record to the forming group. One write makes the group durable, while the next one
 * forms.
 */

import type { LogCounters } from '../contract/statistics.ts';
import type { Removed } from '../object/garbage-collector.ts';
import type { StorageError } from '../object/storage-fault.ts';

export interface Log {
  readonly epoch: number;
  /** The number of the last appended record; 0 before the first one of a new store. */
  readonly last: number;
  /** Every record up to this number is durable. */
  readonly durableTo: number;
  /**
   * Set permanently by the first failure. Nothing becomes durable after it, and only a reopening
   * shows which records survived.
   */
  readonly poisoned: StorageError | undefined;
  readonly counters: LogCounters;
  /**
   * Appends one record that consists of `parts` in order, and returns its number. If a large record
   * has several parts, the log takes ownership of them; other parts are copied. Throws `poisoned`.
   */
  append(parts: readonly Uint8Array[]): number;
  /**
   * Returns `undefined` if a record of `recordBytes` may be appended and will fit. Otherwise
   * resolves when this has changed; the caller then repeats the call. Rejects with `full`: nothing
   * has failed then, and a later call may succeed. A log without this method always has space.
   */
  room?(recordBytes: number): Promise<void> | undefined;
  /**
   * Returns `undefined` if `record` is durable. Otherwise resolves when it is, and rejects with
   * `poisoned`. One promise serves a whole group.
   */
  durable(record: number): Promise<void> | undefined;
  /**
   * Returns true if the written data still has its name, because the name of an open file can be
   * removed. Throws if this cannot be checked. A log without this method detects it at each write.
   */
  isThere?(): boolean;
  /** Makes all appended records durable and releases the files. */
  close(): Promise<void>;
}

/**
 * The state of the log in a manifest, with which an opening detects missing parts. The log
 * continues in `segment` of the epoch of the manifest, and contains every record up to `record`.
 * The segment exists before the manifest.
 */
export interface LogExtent {
  /**
   * 0 if the log continues in no segment of that epoch, because its writer has closed, or because
   * the log consists of objects.
   */
  readonly segment: number;
  readonly record: number;
}

/** A log of segments, as in a directory. */
export interface SegmentLog extends Log {
  /** Returns the extent for a manifest that covers the records up to `boundary`. */
  extent(boundary: number): LogExtent;
  /**
   * Deletes segments that contain no record above `boundary` and precede `extent`. Call it only
   * when a manifest with both is confirmed.
   */
  trim(boundary: number, extent: LogExtent, removed?: Removed): Promise<void>;
  /**
   * Deletes files that no manifest names any more. Call it only when a manifest with the extent of
   * this log is confirmed.
   */
  removeLeftovers(removed?: Removed): Promise<void>;
  /**
   * Seals that the next manifest must contain: those of segments of earlier epochs and, after a
   * successful `close`, those of this epoch, which are final then.
   */
  readonly seals: readonly SegmentSeal[];
}

/** The end of the valid part of a segment. Later additions by a stalled writer are ignored. */
export interface SegmentSeal {
  readonly epoch: number;
  readonly segment: number;
  /** The end of its last record. */
  readonly bytes: number;
  /** The number of its last record; that of its predecessor if the segment contains none. */
  readonly lastRecord: number;
}

/** Called for each record in order. `payload` is valid only during the call. */
export type Replay = (payload: Uint8Array, record: number) => void;

export interface LogRecovery {
  /** The recovering epoch, which is claimed already. */
  readonly epoch: number;
  /**
   * The epoch of the newest manifest, which has sealed every earlier epoch, and this one as far as
   * it has seals; 0 if there is no manifest.
   */
  readonly sealedBefore: number;
  readonly seals: readonly SegmentSeal[];
  /**
   * The epoch in which the store was created; 1 by default. No segment of an earlier epoch may
   * contain a record.
   */
  readonly begun?: number;
  /** The extent in the newest manifest; `undefined` if there is none, or if it has format 1. */
  readonly extent: LogExtent | undefined;
  /** Records up to this number are in SSTables and are not replayed. */
  readonly boundary: number;
  readonly replay: Replay;
  /**
   * A read-only reader writes nothing: the recovered records are not made durable, and no caller
   * may rely on them.
   */
  readonly isLook?: boolean;
}

/**
 * The medium of a log of segments. An opening calls `recover` and `start`, publishes seals and
 * extent, and then calls `append`, each in this order and once.
 */
export interface LogDevice {
  /**
   * Reads, syncs and replays the log of earlier epochs. Throws `corrupt` or `vanished` if a synced
   * record is damaged or missing.
   */
  recover(recovery: LogRecovery): Promise<RecoveredLog>;
  /**
   * Creates the first segment durably. `fenced` is called after each sync, before any
   * acknowledgment.
   */
  start(recovered: RecoveredLog, fenced: FenceCheck): Promise<SegmentLog>;
}

/** Returns `undefined` while this writer owns the newest epoch, and otherwise the fault. */
export type FenceCheck = () => StorageError | undefined | Promise<StorageError | undefined>;

export interface RecoveredLog {
  readonly epoch: number;
  readonly seals: readonly SegmentSeal[];
  /**
   * The last record and its checksum, at which the chain continues. The checksum is 0 if that
   * record is in no segment.
   */
  readonly lastRecord: number;
  readonly lastCrc: number;
  /**
   * The position where a torn tail was cut, as `name:offset`, for a log line. The removed records
   * were never acknowledged.
   */
  readonly torn: string | undefined;
  readonly replayedRecords: number;
}
