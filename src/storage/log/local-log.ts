/** The log of a local store: one segment file after the other, groups written one at a time, each durable before the next. */

import type { Scheduler } from '#base';
import type { LogCounters } from '../contract/statistics.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import type { Removed } from '../object/garbage-collector.ts';
import { segmentName } from '../object/names.ts';
import { StorageError, storageError } from '../object/trouble.ts';
import { newCounters } from './counters.ts';
import { blame } from './fence.ts';
import { Group } from './group.ts';
import { removeLeftovers, unlink } from './leftovers.ts';
import type { FenceCheck, LogExtent, RecoveredLog, SegmentLog, SegmentSeal } from './log.ts';
import { alignGroup, alignRecord, type Chain, recordHeaderBytes } from './record.ts';
import { groupsFrom, markOffset, segmentMark } from './segment.ts';
import type { OpenSegment, SegmentFiles } from './segment-files.ts';

/** After a segment found no room. */
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
 * For so many turns of the event loop a group waits for those who are expected: as many as were told of their commits a moment ago, and as those that formed
 * meanwhile. Otherwise two groups of half the size would take turns for ever, each of whose clients are answered while the other one is written.
 */
const patienceTurns = 4;
/** A group of so many bytes gains nothing by more. */
const enoughBytes = 64 << 10;

/**
 * States of a group: forming (in `forming`), written and synced (in `writing`), acknowledged. A group is closed at the end of a turn in which the disk is
 * free: the first one when nobody else is expected.
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
  /** Where the next group goes in `open`. */
  private position = groupsFrom;
  /** Where the last durable record ends in `open`; 0 while it has none. */
  private end = 0;
  private chain: Chain;
  private forming = new Group();
  private spare = new Group();
  private writing: Group | undefined;
  private isClosing = false;
  /** Records of the next group, if all who were answered last commit again. */
  private expected = 0;
  /** While the next segment is being opened. */
  private rolling: Promise<void> | undefined;
  private making: Promise<void> | undefined;
  /** There was no room for a segment a moment ago. */
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

  /** Whatever forms has its place already, in the open segment or in the spare one; so a record is never stuck between two segments. */
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

  removeLeftovers(removed?: Removed): void {
    removeLeftovers(this.io, this.recovered, removed);
  }

  async trim(boundary: number, { segment }: LogExtent, removed?: Removed): Promise<void> {
    const given = this.seals.filter((seal) => seal.lastRecord <= boundary);
    this.seals = this.seals.filter((seal) => seal.lastRecord > boundary);
    try {
      for (const seal of given) unlink(this.io, segmentName(seal.epoch, seal.segment), removed);
      this.files.trim(boundary, segment, removed);
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
    // A failure is known already to all whom it concerns.
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

  /** At the end of this turn, or of a later one, when others are expected. */
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
    // Its place is taken before it is gathered: what forms meanwhile counts with it.
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
    // An open file takes writes long after its directory was removed or replaced; the next opening would look where its name leads.
    if (!this.isThere()) throw this.moved();
    // After the sync and before anything is acknowledged: a newer writer that missed this group has claimed by now.
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
      if (failure.trouble.kind === 'full') {
        // Many ask; the device is asked once in a while.
        this.full = failure;
        this.scheduler.after(fullMs, () => {
          this.full = undefined;
        });
      }
      throw failure;
    }
  }

  /** The next segment is there, durably, with header and name, before the open one says that it follows: from then on its absence is damage. */
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

  /** While no group is on its way. */
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
