/**
 * The seam of the write-ahead log: numbered, atomic records in one order.
 *
 * Records are numbered from 1 over the whole life of a store, across epochs and segments. `append` only puts them into the
 * forming group; the group becomes durable as one write, while the next one forms.
 */

import type { LogCounters } from '../contract/statistics.ts';
import type { Removed } from '../object/garbage-collector.ts';
import type { StorageError } from '../object/trouble.ts';

export interface Log {
  readonly epoch: number;
  /** The number of the last appended record; 0 before the first one of a new store. */
  readonly last: number;
  /** Every record up to this number is durable. */
  readonly durableTo: number;
  /** Set by the first failure, for ever: nothing is durable after it, and a reopen decides what survived. */
  readonly poisoned: StorageError | undefined;
  readonly counters: LogCounters;
  /** Appends one record made of `parts` in order and returns its number. Several parts of a large record are the log's from then on, others are copied. Throws when poisoned. */
  append(parts: readonly Uint8Array[]): number;
  /**
   * Undefined when a record of so many bytes may be appended and will find room; else resolves when that has changed: ask again then. Rejects
   * with `full`; nothing has failed then, and there may be room later. A log that lacks it always has room.
   */
  room?(recordBytes: number): Promise<void> | undefined;
  /** Undefined when `record` is durable, else resolves when it is. Rejects with `poisoned`. One promise serves a whole group. */
  durable(record: number): Promise<void> | undefined;
  /**
   * Whether what was written can be found again: names may be taken away from open files. Throws when that cannot be asked. A
   * log that lacks it tells at each write.
   */
  isThere?(): boolean;
  /** Makes durable what was appended and releases the files. */
  close(): Promise<void>;
}

/**
 * What a manifest says of the log, so that an opening can tell when some of it is missing: it goes on in `segment` of the manifest's epoch,
 * which is there before the manifest is, and holds every record up to `record`.
 */
export interface LogExtent {
  /** 0: in no segment of that epoch, because its writer has closed, or because the log is made of objects. */
  readonly segment: number;
  readonly record: number;
}

/** A log of segments, as in a directory. */
export interface SegmentLog extends Log {
  /** For a manifest that covers the records up to `boundary`. */
  extent(boundary: number): LogExtent;
  /** Gives up segments that hold no record above `boundary` and come before `extent`: a confirmed manifest must carry both. */
  trim(boundary: number, extent: LogExtent, removed?: Removed): Promise<void>;
  /** Removes what no manifest counts any more. Only once a manifest with the extent of this log is confirmed. */
  removeLeftovers(removed?: Removed): void;
  /**
   * What a manifest must say about the segments of earlier epochs; and after a `close` without a failure about its own, which are
   * final then.
   */
  readonly seals: readonly SegmentSeal[];
}

/** A segment is valid up to here, whatever a stalled writer added later. */
export interface SegmentSeal {
  readonly epoch: number;
  readonly segment: number;
  /** Where its last record ends. */
  readonly bytes: number;
  /** The number of its last record; that of its predecessor if it holds none. */
  readonly lastRecord: number;
}

/** Called for each record in order. `payload` is valid during the call only. */
export type Replay = (payload: Uint8Array, record: number) => void;

export interface LogRecovery {
  /** The epoch that recovers, claimed already. */
  readonly epoch: number;
  /** The epoch of the newest manifest: it sealed everything before it, and what has a seal of this epoch. 0 when there is none. */
  readonly sealedBefore: number;
  readonly seals: readonly SegmentSeal[];
  /** The epoch in which the store was begun; 1 when it is left out. No segment of an earlier one may hold a record. */
  readonly begun?: number;
  /** Of the newest manifest; undefined when there is none, or when it was written in format 1. */
  readonly extent: LogExtent | undefined;
  /** Records up to this number are in tables and are not replayed. */
  readonly boundary: number;
  readonly replay: Replay;
  /** A reader that only looks writes nothing: what is found is not made durable, and nobody may rely on it. */
  readonly isLook?: boolean;
}

/** Where a log of segments lives. `recover`, `start`, publish seals and extent, `append`: in this order, once an opening. */
export interface LogDevice {
  /** Reads, syncs and replays what earlier epochs left. Throws `corrupt` or `vanished` when a synced record is damaged or missing. */
  recover(recovery: LogRecovery): Promise<RecoveredLog>;
  /** Makes the first segment, durably. `fenced` is asked after each sync, before anything is acknowledged. */
  start(recovered: RecoveredLog, fenced: FenceCheck): Promise<SegmentLog>;
}

/** Undefined while the epoch is still ours. */
export type FenceCheck = () => StorageError | undefined | Promise<StorageError | undefined>;

export interface RecoveredLog {
  readonly epoch: number;
  readonly seals: readonly SegmentSeal[];
  /** The last record and its checksum: the chain goes on from here. The checksum is 0 when that record is in no segment. */
  readonly lastRecord: number;
  readonly lastCrc: number;
  /** Where a torn tail was cut, as `name:offset`, for a log line. Nothing that was cut had been acknowledged. */
  readonly torn: string | undefined;
  readonly replayedRecords: number;
}
