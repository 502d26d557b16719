/**
 * The log of a local store: a sequence of segment files. Groups are written one at a time, each
 * durable before the next.
 */

import type { Scheduler } from '#base';
import type { LogCounters } from '../contract/statistics.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import type { Removed } from '../object/garbage-collector.ts';
import { segmentName } from '../object/names.ts';
import { StorageError, storageError } from '../object/storage-fault.ts';
import { newCounters } from './counters.ts';
import { blame } from './fence.ts';
import { Group } from './group.ts';
import type { FenceCheck, LogExtent, RecoveredLog, SegmentLog, SegmentSeal } from './log.ts';
import { removeFile, removeOrphanedSegments } from './orphaned-segments.ts';
import { alignGroup, alignRecord, type Chain, recordHeaderBytes } from './record.ts';
import { groupsFrom, markOffset, segmentMark } from './segment.ts';
import type { OpenSegment, SegmentFiles } from './segment-files.ts';

/** Time before another attempt after the device was too full for a segment. */
const fullMs = 1000;

interface LocalLogParts {
  readonly io: DirectoryIo;
  readonly scheduler: Scheduler;
  readonly files: SegmentFiles;
  readonly first: OpenSegment;
  readonly recovered: RecoveredLog;
  readonly fenced: FenceCheck;
}

/**
 * Event-loop iterations for which a group waits for the expected records. Their number is that of
 * the commits that were just acknowledged, plus those that formed meanwhile. Without the wait, two
 * groups of half the size would alternate permanently, each acknowledged while the other one is
 * written.
 */
const patienceTurns = 4;
/** A group of at least this many bytes does not wait for more. */
const enoughBytes = 64 << 10;

/**
 * A group is first forming (in `forming`), then written and synced (in `writing`), and finally
 * acknowledged. The group is closed at the end of an event-loop iteration in which the disk is
 * idle, at the earliest when no more records are expected.
 */
export class LocalLog implements SegmentLog {
  readonly epoch: number;
  readonly counters: LogCounters = newCounters();
  last: number;
  durableTo: number;
  poisoned: StorageError | undefined;
  seals: readonly SegmentSeal[];

  private readonly io: DirectoryIo;
  private readonly scheduler: Scheduler;
  private readonly files: SegmentFiles;
  private readonly fenced: FenceCheck;
  private readonly recovered: RecoveredLog;
  private open: OpenSegment;
  /** Offset of the next group in `open`. */
  private position = groupsFrom;
  /** End of the last durable record in `open`; 0 while it has none. */
  private end = 0;
  private chain: Chain;
  private forming = new Group();
  private spare = new Group();
  private writing: Group | undefined;
  private isClosing = false;
  /**
   * Number of records in the next group if every commit acknowledged last is followed by another
   * one.
   */
  private expected = 0;
  /** Opening of the next segment; `undefined` unless it is in progress. */
  private rolling: Promise<void> | undefined;
  private making: Promise<void> | undefined;
  /** Set for a while after the device was too full for a segment. */
  private full: StorageError | undefined;

  constructor(parts: LocalLogParts) {
    const { recovered } = parts;
    this.io = parts.io;
    this.recovered = recovered;
    this.scheduler = parts.scheduler;
    this.files = parts.files;
    this.open = parts.first;
    this.fenced = parts.fenced;
    this.epoch = recovered.epoch;
    this.seals = recovered.seals;
    this.last = recovered.lastRecord;
    this.durableTo = recovered.lastRecord;
    this.chain = { record: recovered.lastRecord, crc: recovered.lastCrc };
    this.countSegments();
  }

  append(parts: readonly Uint8Array[]): number {
    if (this.poisoned !== undefined) throw this.poisoned;
    this.counters.payloadBytes += this.forming.append(parts);
    this.counters.records++;
    this.scheduleWrite();
    return ++this.last;
  }

  /**
   * Checks the space for the forming group and one more record. The space is in the open segment or
   * in the spare one, so a record never has to wait between two segments.
   */
  room(recordBytes: number): Promise<void> | undefined {
    if (this.poisoned !== undefined) return undefined;
    if (this.rolling !== undefined) return this.rolling.catch(() => {});
    const { position, open, files, forming } = this;
    const record = alignRecord(recordHeaderBytes + recordBytes);
    const needed = alignGroup(forming.bytes + record);
    const spareNeeded = groupsFrom + needed;
    if (position + needed <= open.bytes || files.spareBytes >= spareNeeded) return undefined;
    this.making ??= this.makeRoom(spareNeeded).finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  durable(record: number): Promise<void> | undefined {
    if (record <= this.durableTo) return undefined;
    if (this.poisoned !== undefined) return Promise.reject(this.poisoned);
    const isForming = record > this.last - this.forming.records;
    return isForming ? this.forming.wait() : this.writing?.wait();
  }

  extent(boundary: number): LogExtent {
    const segment = this.files.lowestAbove(boundary) ?? this.open.segment;
    return { segment, record: this.durableTo };
  }

  removeLeftovers(removed?: Removed): Promise<void> {
    return removeOrphanedSegments(this.io, this.recovered, removed);
  }

  async trim(boundary: number, { segment }: LogExtent, removed?: Removed): Promise<void> {
    const past = this.seals.filter((seal) => seal.lastRecord <= boundary);
    this.seals = this.seals.filter((seal) => seal.lastRecord > boundary);
    try {
      for (const seal of past) {
        await removeFile(this.io, segmentName(seal.epoch, seal.segment), removed);
      }
      await this.files.trim(boundary, segment, removed);
    } catch (error) {
      throw await blame(this.fenced, 'trim', 'the log', error);
    } finally {
      this.countSegments();
    }
  }

  isThere(): boolean {
    const name = segmentName(this.epoch, this.open.segment);
    try {
      return this.open.file.isAt(name);
    } catch (error) {
      throw storageError('find', name, error);
    }
  }

  async close(): Promise<void> {
    // All affected callers have received the failure already.
    await this.durable(this.last)?.catch(() => {});
    if (this.poisoned === undefined) this.seals = [...this.seals, ...this.ownSeals()];
    await this.files.close();
    this.open.file.close();
  }

  private scheduleWrite(): void {
    if (this.isClosing || this.writing !== undefined) return;
    this.isClosing = true;
    this.closeSoon(patienceTurns);
  }

  /**
   * Closes the group at the end of this event-loop iteration, or of a later one if more records are
   * expected.
   */
  private closeSoon(turnsLeft: number): void {
    this.scheduler.afterTurn(() => {
      if (turnsLeft > 0 && !this.isComplete() && this.poisoned === undefined) {
        this.closeSoon(turnsLeft - 1);
        return;
      }
      this.isClosing = false;
      if (this.poisoned === undefined && this.forming.records > 0) void this.writeForming();
    });
  }

  private isComplete(): boolean {
    const { forming, expected } = this;
    return forming.records >= expected || forming.bytes >= enoughBytes;
  }

  private async writeForming(): Promise<void> {
    const group = this.forming;
    const lastOfGroup = this.last;
    this.writing = group;
    this.forming = this.spare;
    try {
      await this.writeGroup(group);
    } catch (error) {
      const name = segmentName(this.epoch, this.open.segment);
      this.poison(await blame(this.fenced, 'write', name, error));
      return;
    }
    this.durableTo = lastOfGroup;
    this.writing = undefined;
    this.expected = group.records + this.forming.records;
    group.clear();
    this.spare = group;
    group.settle(undefined);
    if (this.forming.records > 0) this.scheduleWrite();
  }

  private async writeGroup(group: Group): Promise<void> {
    if (this.position + alignGroup(group.bytes) > this.open.bytes) {
      this.rolling = this.roll(group.bytes);
      await this.rolling;
    }
    const { epoch, open, position } = this;
    // The space of the group is reserved before it is gathered, so that concurrently formed groups
    // are counted after it.
    this.position += alignGroup(group.bytes);
    this.rolling = undefined;
    if (this.position > open.bytes / 2) this.files.prepare();
    const gathering = group.gather(this.scheduler);
    if (gathering !== undefined) await gathering;
    this.chain = group.seal({ epoch, segment: open.segment }, this.chain);
    const image = group.image();
    await open.file.writeDurably(image, position);
    this.end = position + group.end;
    this.counters.groups++;
    this.counters.writtenBytes += image.length;
    // An open file accepts writes even after its directory was removed or replaced. The next
    // opening would read the file under the name instead.
    if (!this.isThere()) throw this.moved();
    // The check is after the sync and before any acknowledgment: a newer writer that missed this group
    // has claimed its epoch by now.
    const answer = this.fenced();
    const fenced = answer instanceof Promise ? await answer : answer;
    if (fenced !== undefined) throw fenced;
  }

  private moved(): StorageError {
    const object = segmentName(this.epoch, this.open.segment);
    return new StorageError({ kind: 'io', operation: 'find', object });
  }

  private async makeRoom(bytes: number): Promise<void> {
    if (this.full !== undefined) throw this.full;
    try {
      await this.files.makeSpare(bytes);
    } catch (error) {
      const failure = storageError('write', 'the log', error);
      if (failure.fault.kind === 'full') {
        // Many callers request space, but the device is tried only once per period.
        this.full = failure;
        this.scheduler.after(fullMs, () => {
          this.full = undefined;
        });
      }
      throw failure;
    }
  }

  /**
   * Continues in a new segment. The new segment, including its header and name, is durable before
   * the mark in the open one names it. From then on its absence is damage.
   */
  private async roll(bytes: number): Promise<void> {
    const { epoch, open, end, chain } = this;
    const next = await this.files.open(bytes, chain);
    const id = { epoch, segment: open.segment };
    await open.file.writeDurably(segmentMark(id, { end, lastRecord: chain.record }), markOffset);
    this.files.retire(open, this.sealOfOpen());
    this.open = next;
    this.position = groupsFrom;
    this.end = 0;
    this.countSegments();
  }

  private ownSeals(): readonly SegmentSeal[] {
    return this.end === 0 ? this.files.seals : [...this.files.seals, this.sealOfOpen()];
  }

  /** Returns the seal of the open segment. Call it only while no group is being written. */
  private sealOfOpen(): SegmentSeal {
    const { epoch, open, end, chain } = this;
    return { epoch, segment: open.segment, bytes: end, lastRecord: chain.record };
  }

  private poison(failure: StorageError): void {
    this.poisoned = failure;
    this.writing?.settle(failure);
    this.forming.settle(failure);
  }

  private countSegments(): void {
    this.counters.segments = this.files.count + this.seals.length + 1;
  }
}
