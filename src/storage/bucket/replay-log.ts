/** Reads the log of a bucket from the boundary on and appends a fence (docs/storage-format.md, "Opening a bucket", 4 and 5). */

import type { World } from '#base';
import type { Replay } from '../log/log.ts';
import { bucketManifestName, logObjectName, numberOf, prefixes } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { createOnce, drawNonce } from './create-once.ts';
import {
  corruptLog,
  decodeHead,
  encodeFence,
  fenceBytes,
  type LogObjectHead,
  visitRecords,
} from './log-object.ts';
import { LogPrefetch } from './log-prefetch.ts';
import type { KnownObject } from './object-log.ts';
import { retryWhileUnavailable } from './retry.ts';

interface LogReplay {
  readonly objects: ObjectStore;
  readonly world: World;
  readonly epoch: number;
  /** Records up to this number are in SSTables. */
  readonly boundary: number;
  /** Log objects up to this id contain no record above `boundary`. */
  readonly boundaryId: number;
  /** Records up to this number are in SSTables or in the log. */
  readonly durableTo: number;
  readonly replay: Replay;
  /** Number of the newest manifest below the claim. */
  readonly newest: number;
  /** Returns why the newest manifest is no longer that of this writer. */
  readonly overtaken: () => Promise<StorageError | undefined>;
  /** True for a check of the log, which only reads and appends no fence. */
  readonly isLook?: boolean;
}

/**
 * Replays the log and returns the objects above the boundary. Unless `isLook` is set, the last one is the fence of `epoch`. Throws
 * `fenced`, `vanished`, `corrupt`, `format` or `io`.
 */
export async function replayLog(options: LogReplay): Promise<readonly KnownObject[]> {
  const { objects, world, epoch } = options;
  const prefetch = await LogPrefetch.start(objects, options.boundaryId);
  const reading = new LogReading(options);
  for (;;) {
    const name = logObjectName(reading.nextId);
    const bytes = await prefetch.get(reading.nextId);
    if (bytes === undefined) {
      await refuseLost(reading, options);
      if (options.isLook === true) return reading.known;
      const head = { id: reading.nextId, epoch, firstRecord: reading.lastRecord + 1 };
      const fence = encodeFence(head, drawNonce(world));
      const creation = await createOnce(objects, world, name, fence);
      if (creation.kind === 'won') {
        reading.fenceOff();
        return reading.known;
      }
      await addObject(reading, options, creation.bytes, name);
    } else await addObject(reading, options, bytes, name);
  }
}

async function addObject(
  reading: LogReading,
  { world, epoch, overtaken }: LogReplay,
  bytes: Uint8Array,
  name: string,
): Promise<void> {
  const head = decodeHead(bytes, name);
  if (head.epoch < epoch) reading.add(bytes, head, name);
  // The object was written by a newer writer, or by a writer whose manifest no longer exists.
  else
    throw (
      (await retryWhileUnavailable(world, overtaken)) ??
      corruptLog(name, 48, 'no manifest contains its epoch')
    );
}

/** Throws if the log extends beyond the next id, which does not exist. Otherwise that id is the end of the log. */
async function refuseLost(
  { nextId, lastRecord }: LogReading,
  { objects, durableTo, newest }: LogReplay,
): Promise<void> {
  const later = await laterThan(objects, nextId);
  const evidence =
    later === undefined
      ? `the newest existing manifest records a log up to record ${durableTo}`
      : `${later} comes after it`;
  if (later === undefined && lastRecord >= durableTo) return;
  const object = logObjectName(nextId);
  const lost = 'its records and all after them would be lost';
  // A fenced writer might have left a manifest below one that released these records.
  const orManifestAfter = bucketManifestName(newest);
  throw new StorageError({ kind: 'vanished', object, evidence, lost, orManifestAfter });
}

/**
 * Returns the name of a log object above `id`. Ids are contiguous, so such an object proves that `id` was lost. Returns `undefined` if
 * there is none, or if `id` exists by now.
 */
async function laterThan(objects: ObjectStore, id: number): Promise<string | undefined> {
  const later = await objects.list(prefixes.log, logObjectName(id - 1));
  const first = later.find(({ name }) => numberOf(name) !== undefined);
  return first !== undefined && numberOf(first.name) !== id ? first.name : undefined;
}

/** The state of a replay in progress. */
class LogReading {
  readonly known: KnownObject[] = [];
  nextId: number;
  lastRecord: number;
  private epoch = 0;
  private readonly options: LogReplay;

  constructor(options: LogReplay) {
    this.options = options;
    this.nextId = options.boundaryId + 1;
    this.lastRecord = options.boundary;
  }

  /** Records that this writer's own fence was created. */
  fenceOff(): void {
    this.known.push({
      id: this.nextId,
      lastRecord: this.lastRecord,
      isFence: true,
      bytes: fenceBytes,
    });
  }

  add(bytes: Uint8Array, head: LogObjectHead, name: string): void {
    const { boundary, replay } = this.options;
    if (head.id !== this.nextId)
      throw corruptLog(name, 32, 'it contains the id of another log object');
    if (head.epoch < this.epoch)
      throw corruptLog(name, 48, 'its epoch was fenced by an earlier object');
    const isFirst = this.known.length === 0;
    const follows = head.firstRecord === this.lastRecord + 1;
    // Only the first object may begin below the boundary, because a flush may end inside an object.
    if (!follows && !(isFirst && head.firstRecord <= boundary)) {
      throw corruptLog(name, 40, `it does not follow record ${this.lastRecord}`);
    }
    visitRecords(bytes, head, (payload, record) => {
      if (record > boundary) replay(payload, record);
    });
    const lastRecord = Math.max(this.lastRecord, head.firstRecord + head.records - 1);
    const isFence = head.records === 0;
    this.known.push({ id: head.id, lastRecord, isFence, bytes: bytes.length });
    this.lastRecord = lastRecord;
    this.epoch = head.epoch;
    this.nextId++;
  }
}
