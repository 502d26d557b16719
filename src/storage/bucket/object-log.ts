/** The log of a bucket: a sequence of objects. One object is sent at a time, so records are acknowledged in order. */

import type { World } from '#base';
import type { LogCounters } from '../contract/statistics.ts';
import { newCounters } from '../log/counters.ts';
import { blame } from '../log/fence.ts';
import type { FenceCheck, Log } from '../log/log.ts';
import type { GarbageCollector } from '../object/garbage-collector.ts';
import { logObjectName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { createOnce, drawNonce } from './create-once.ts';
import { bucketLimits } from './limits.ts';
import { decodeHead, encodeFence, ObjectGroup } from './log-object.ts';

/** A log object that this process has replayed or written. */
export interface KnownObject {
  readonly id: number;
  /** Number of its last record; in a fence, of the preceding record. */
  readonly lastRecord: number;
  readonly isFence: boolean;
  readonly bytes: number;
}

interface ObjectLogParts {
  readonly objects: ObjectStore;
  readonly collector: GarbageCollector;
  readonly world: World;
  readonly flushIntervalMs: number;
  readonly epoch: number;
  /** Log objects up to this id contain no record above the boundary of the manifest. */
  readonly boundaryId: number;
  /** Log objects above `boundaryId` in order. The last one is the fence of this writer. */
  readonly known: readonly KnownObject[];
  readonly fenced: FenceCheck;
}

/**
 * A log that groups commits. An idle log sends a group immediately. While commits follow each other closely, a group waits until it has as many
 * records as the last acknowledged group, because the clients of those records are about to commit again. The group waits at most as long as the
 * last group took to send, because a longer wait would cost more than it saves. A group never waits longer than the flush interval.
 */
export class ObjectLog implements Log {
  readonly epoch: number;
  readonly counters: LogCounters = newCounters();
  last: number;
  durableTo: number;
  poisoned: StorageError | undefined;

  private readonly parts: ObjectLogParts;
  private lastId: number;
  private known: KnownObject[];
  private boundaryId: number;
  private forming = new ObjectGroup();
  private formingSinceMs = 0;
  private sending: ObjectGroup | undefined;
  /** Number of records of the last acknowledged group. The next group waits for this many records, until `gatherUntilMs`. */
  private expected = 1;
  private gatherUntilMs = Number.NEGATIVE_INFINITY;
  private isScheduled = false;
  private isTimed = false;
  private isClosing = false;

  constructor(parts: ObjectLogParts) {
    const fence = parts.known.at(-1) as KnownObject;
    this.parts = parts;
    this.epoch = parts.epoch;
    this.last = fence.lastRecord;
    this.durableTo = fence.lastRecord;
    this.lastId = fence.id;
    this.known = [...parts.known];
    this.boundaryId = parts.boundaryId;
    this.counters.segments = this.known.length;
  }

  append(parts: readonly Uint8Array[]): number {
    if (this.poisoned !== undefined) throw this.poisoned;
    if (this.forming.records === 0) this.formingSinceMs = this.parts.world.clock.monotonicMs();
    this.counters.payloadBytes += this.forming.append(parts);
    this.counters.records++;
    this.consider();
    return ++this.last;
  }

  durable(record: number): Promise<void> | undefined {
    if (record <= this.durableTo) return undefined;
    if (this.poisoned !== undefined) return Promise.reject(this.poisoned);
    const isForming = record > this.last - this.forming.records;
    return isForming ? this.forming.wait() : this.sending?.wait();
  }

  /** Returns the highest id such that no object up to it contains a record above `record`. */
  boundaryOf(record: number): number {
    let id = this.boundaryId;
    for (const object of this.known) {
      if (object.lastRecord > record) break;
      id = Math.max(id, object.id);
    }
    return id;
  }

  /** Deletes log groups up to `boundaryId`, which a confirmed manifest must contain. Never deletes a fence. */
  async trim(boundaryId: number): Promise<void> {
    this.boundaryId = boundaryId;
    const given = this.known.filter(({ id }) => id <= boundaryId);
    const groups = given.filter(({ isFence }) => !isFence);
    const garbage = groups.map(({ id, bytes }) => ({ name: logObjectName(id), bytes }));
    if (garbage.length > 0) await this.parts.collector.delete(garbage);
    this.known = this.known.filter(({ id }) => id > boundaryId);
    this.counters.segments = this.known.length;
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.consider();
    // Every caller that waits for these records already receives the failure.
    await this.durable(this.last)?.catch(() => {});
    try {
      await this.fenceOff();
    } catch {
      // The next opening then takes the last group that it finds for the end of the log, as after a crash.
    }
  }

  /** Appends a fence that marks the end of a log that is closed in order. A group that is lost later then leaves a gap below the fence. */
  private async fenceOff(): Promise<void> {
    if (this.poisoned !== undefined || this.known.at(-1)?.isFence !== false) return;
    const { objects, world, epoch } = this.parts;
    const id = this.lastId + 1;
    const fence = encodeFence({ id, epoch, firstRecord: this.last + 1 }, drawNonce(world));
    await createOnce(objects, world, logObjectName(id), fence);
    this.lastId = id;
  }

  /** Sends the forming group, now or when its wait ends. */
  private consider(): void {
    if (this.sending !== undefined || this.isScheduled || this.poisoned !== undefined) return;
    if (this.forming.records === 0) return;
    const restMs = this.isEnough() ? 0 : this.formingRestMs();
    if (restMs <= 0) this.schedule();
    else if (!this.isTimed) this.arm(restMs);
  }

  private isEnough(): boolean {
    const { forming, isClosing } = this;
    if (isClosing || forming.bytes >= bucketLimits.groupBytesEnough) return true;
    return forming.records >= this.expected;
  }

  private formingRestMs(): number {
    const { world, flushIntervalMs } = this.parts;
    const dueMs = Math.min(this.formingSinceMs + flushIntervalMs, this.gatherUntilMs);
    return dueMs - world.clock.monotonicMs();
  }

  private arm(delayMs: number): void {
    this.isTimed = true;
    this.parts.world.scheduler.after(delayMs, () => {
      this.isTimed = false;
      this.consider();
    });
  }

  /** Sends the group at the end of the event-loop iteration, so that all commits of the iteration share it. */
  private schedule(): void {
    this.isScheduled = true;
    this.parts.world.scheduler.afterTurn(() => {
      this.isScheduled = false;
      if (this.poisoned === undefined) void this.send();
    });
  }

  private async send(): Promise<void> {
    const group = this.forming;
    const lastRecord = this.last;
    this.sending = group;
    this.forming = new ObjectGroup();
    const id = this.lastId + 1;
    const { clock } = this.parts.world;
    const sentMs = clock.monotonicMs();
    let bytes: number;
    try {
      bytes = await this.create(group, id, lastRecord - group.records + 1);
    } catch (error) {
      this.poison(await blame(this.parts.fenced, 'write', logObjectName(id), error));
      return;
    }
    this.lastId = id;
    this.known.push({ id, lastRecord, isFence: false, bytes });
    this.counters.segments = this.known.length;
    this.durableTo = lastRecord;
    this.sending = undefined;
    this.expected = group.records;
    const nowMs = clock.monotonicMs();
    this.gatherUntilMs = nowMs + (nowMs - sentMs);
    group.settle(undefined);
    this.consider();
  }

  /** Creates the log object of the group and returns its size in bytes. */
  private async create(group: ObjectGroup, id: number, firstRecord: number): Promise<number> {
    const { objects, world, epoch } = this.parts;
    const name = logObjectName(id);
    const gathering = group.gather(world.scheduler);
    if (gathering !== undefined) await gathering;
    const bytes = group.encode({ id, epoch, firstRecord }, drawNonce(world));
    const creation = await createOnce(objects, world, name, bytes);
    if (creation.kind === 'taken') {
      const by = decodeHead(creation.bytes, name).epoch;
      throw new StorageError({ kind: 'fenced', epoch, by });
    }
    this.counters.groups++;
    this.counters.writtenBytes += bytes.length;
    return bytes.length;
  }

  private poison(failure: StorageError): void {
    this.poisoned = failure;
    this.sending?.settle(failure);
    this.forming.settle(failure);
  }
}
