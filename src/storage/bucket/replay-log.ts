/** Reads the log of a bucket from the boundary to its end and puts a fence there (docs/storage-format.md, "Opening a bucket", 4 and 5). */

import type { World } from '#base';
import type { Replay } from '../log/log.ts';
import { logObjectName, numberOf, prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { StorageError } from '../object/trouble.ts';
import { createOnce, drawNonce } from './create-once.ts';
import { corruptLog, decodeHead, encodeFence, visitRecords } from './log-object.ts';
import { LogPrefetch } from './log-prefetch.ts';
import type { KnownObject } from './object-log.ts';

export interface LogReplay {
  readonly objects: ObjectStore;
  readonly world: World;
  readonly epoch: number;
  /** Records up to this number are in tables. */
  readonly boundary: number;
  /** Log objects up to this id hold no others. */
  readonly boundaryId: number;
  readonly replay: Replay;
}

/** The objects above the boundary; the last one is the fence of `epoch`. Throws `fenced`, `corrupt`, `format` or `io`. */
export async function replayLog(options: LogReplay): Promise<readonly KnownObject[]> {
  const { objects, world, epoch } = options;
  const prefetch = await LogPrefetch.start(objects, options.boundaryId);
  const reading = new LogReading(options);
  for (;;) {
    const name = logObjectName(reading.nextId);
    let bytes = await prefetch.get(reading.nextId);
    if (bytes === undefined) {
      if (await isGap(objects, reading.nextId)) throw corruptLog(name, 0, 'it is missing');
      const head = { id: reading.nextId, epoch, firstRecord: reading.lastRecord + 1 };
      const fence = encodeFence(head, drawNonce(world));
      const creation = await createOnce(objects, world, name, fence);
      bytes = creation.kind === 'won' ? fence : creation.bytes;
    }
    if (reading.add(bytes, name)) return reading.known;
  }
}

/** Ids are contiguous, so one that is missing below another was lost. */
async function isGap(objects: ObjectStore, id: number): Promise<boolean> {
  const later = await objects.list(prefixes.log, logObjectName(id - 1));
  const ids = later.map(({ name }) => numberOf(name)).filter((found) => found !== undefined);
  return ids.length > 0 && !ids.includes(id);
}

/** What was read so far. */
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

  /** True when the object is our fence. */
  add(bytes: Uint8Array, name: string): boolean {
    const head = decodeHead(bytes, name);
    const { epoch, boundary, replay } = this.options;
    if (head.epoch > epoch) throw new StorageError({ kind: 'fenced', epoch, by: head.epoch });
    if (head.id !== this.nextId) throw corruptLog(name, 32, 'it carries the id of another one');
    if (head.epoch < this.epoch) throw corruptLog(name, 48, 'its epoch has been fenced before');
    const isFirst = this.known.length === 0;
    const follows = head.firstRecord === this.lastRecord + 1;
    // Only the first one may begin in the tables: a flush may end inside an object.
    if (!follows && !(isFirst && head.firstRecord <= boundary)) {
      throw corruptLog(name, 40, `it does not follow record ${this.lastRecord}`);
    }
    visitRecords(bytes, head, (payload, record) => {
      if (record > boundary) replay(payload, record);
    });
    const lastRecord = Math.max(this.lastRecord, head.firstRecord + head.records - 1);
    this.known.push({ id: head.id, lastRecord, isFence: head.records === 0 });
    this.lastRecord = lastRecord;
    this.epoch = head.epoch;
    this.nextId++;
    return head.epoch === epoch;
  }
}
