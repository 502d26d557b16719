/**
 * The segment files of one writer. The files are created before they are needed, used in order, and
 * recycled once a manifest covers them.
 */

import type { DirectoryIo, IoFile } from '../object/directory-io.ts';
import type { Removed } from '../object/garbage-collector.ts';
import { padNumber, pairOf, prefixes, segmentName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { SegmentSeal } from './log.ts';
import { alignGroup, type Chain, type SegmentId } from './record.ts';
import { groupsFrom, segmentHeader } from './segment.ts';

export const logDirectory = prefixes.log.slice(0, -1);

const firstSegmentBytes = 1 << 20;
const zeros = new Uint8Array(1 << 20);

export interface OpenSegment {
  readonly segment: number;
  readonly bytes: number;
  readonly file: IoFile;
}

interface FullSegment {
  /** Size of the file. */
  readonly bytes: number;
  readonly seal: SegmentSeal;
}

/** Lists the segments of all epochs in ascending order. */
export function listSegments(io: DirectoryIo): readonly SegmentId[] {
  const found: SegmentId[] = [];
  for (const entry of io.entries(logDirectory)) {
    const pair = pairOf(entry, '.log');
    if (pair !== undefined) found.push({ epoch: pair[0], segment: pair[1] });
  }
  return found.sort(bySegment);
}

export function bySegment(left: SegmentId, right: SegmentId): number {
  return left.epoch - right.epoch || left.segment - right.segment;
}

/**
 * A file durably receives its header and then its final name, before a manifest or mark names it
 * and before a record is written to it. Only the segments of this writer are recycled, because a
 * stalled writer of an earlier epoch may still write to its own.
 */
export class SegmentFiles {
  private readonly io: DirectoryIo;
  private readonly epoch: number;
  private readonly segmentBytes: number;
  private full: readonly FullSegment[] = [];
  private next = 1;
  /** Size of the spare file; 0 if there is none. */
  spareBytes = 0;
  private preparing: Promise<void> | undefined;

  constructor(io: DirectoryIo, epoch: number, segmentBytes: number) {
    this.io = io;
    this.epoch = epoch;
    this.segmentBytes = alignGroup(segmentBytes);
  }

  /**
   * Returns the next segment, whose first record follows `chain`, with space for a group of
   * `bytes`. The first segment is small, because a short-lived process needs no more.
   */
  async open(bytes: number, chain: Chain): Promise<OpenSegment> {
    const segment = this.next++;
    const usual =
      segment === 1 ? Math.min(firstSegmentBytes, this.segmentBytes) : this.segmentBytes;
    const wanted = Math.max(usual, groupsFrom + alignGroup(bytes));
    await this.preparing;
    if (this.spareBytes < wanted) await this.fill(wanted);
    // The file is renamed first, because the next spare may be ready before this one has its name.
    this.io.rename(this.sparePath, this.nextPath);
    const size = this.spareBytes;
    this.spareBytes = 0;
    const file = this.io.open(this.nextPath, 'log');
    if (file === undefined) throw new StorageError({ kind: 'missing', object: this.nextPath });
    try {
      const id = { epoch: this.epoch, segment };
      await file.writeDurably(segmentHeader(id, chain, size), 0);
      await this.nameNext(segment, file);
      return { segment, bytes: size, file };
    } catch (error) {
      file.close();
      throw error;
    }
  }

  private async nameNext(segment: number, file: IoFile): Promise<void> {
    // If the directory was replaced meanwhile, another file without the header has this name.
    if (!file.isAt(this.nextPath)) {
      throw new StorageError({ kind: 'io', operation: 'find', object: this.nextPath });
    }
    this.io.rename(this.nextPath, segmentName(this.epoch, segment));
    await this.io.syncDirectory(logDirectory);
  }

  /** Starts creating the spare for the next `open`, unless there is one. */
  prepare(): void {
    // A failure occurs again when the segment is needed, and a caller receives it then.
    if (this.wantsSpare) this.start(this.segmentBytes).catch(() => {});
  }

  /** Resolves when the spare has at least `bytes`. */
  async makeSpare(bytes: number): Promise<void> {
    while (this.spareBytes < bytes) {
      await (this.preparing ?? this.start(Math.max(bytes, this.segmentBytes)));
    }
  }

  /** Records that `open` has been replaced by its successor. `seal` describes its content. */
  retire(open: OpenSegment, seal: SegmentSeal): void {
    open.file.close();
    this.full = [...this.full, { bytes: open.bytes, seal }];
  }

  /**
   * Returns the lowest full segment with a record above `boundary`; `undefined` if there is none.
   */
  lowestAbove(boundary: number): number | undefined {
    return this.full.find(({ seal }) => seal.lastRecord > boundary)?.seal.segment;
  }

  /** Deletes or recycles full segments below `segment` without a record above `boundary`. */
  async trim(boundary: number, segment: number, removed?: Removed): Promise<void> {
    for (;;) {
      const [oldest] = this.full;
      if (oldest === undefined) return;
      if (oldest.seal.lastRecord > boundary || oldest.seal.segment >= segment) return;
      const path = segmentName(this.epoch, oldest.seal.segment);
      if (this.wantsSpare && oldest.bytes >= this.segmentBytes) {
        this.io.rename(path, this.sparePath);
        this.spareBytes = oldest.bytes;
      } else if (await this.io.remove(path)) {
        removed?.(oldest.bytes);
      }
      this.full = this.full.filter((other) => other !== oldest);
    }
  }

  /**
   * The seals of the full segments, without those that stayed empty because they were too small for
   * their first group.
   */
  get seals(): readonly SegmentSeal[] {
    return this.full.map(({ seal }) => seal).filter(({ bytes }) => bytes > 0);
  }

  /** The number of full segments. */
  get count(): number {
    return this.full.length;
  }

  async close(): Promise<void> {
    await this.preparing;
    if (this.spareBytes === 0) return;
    this.spareBytes = 0;
    try {
      this.io.unlink(this.sparePath);
    } catch {
      // The next opening removes it.
    }
  }

  private get wantsSpare(): boolean {
    return this.preparing === undefined && this.spareBytes === 0;
  }

  private get sparePath(): string {
    return `${logDirectory}/${padNumber(this.epoch)}.spare`;
  }

  private get nextPath(): string {
    return `${logDirectory}/${padNumber(this.epoch)}.next`;
  }

  private start(bytes: number): Promise<void> {
    const filling = this.fill(bytes);
    this.preparing = filling
      .catch(() => {})
      .finally(() => {
        this.preparing = undefined;
      });
    return filling;
  }

  /**
   * Replaces the spare by a synced file of `bytes` zeros. Later writes into it change neither its
   * size nor its blocks.
   */
  private async fill(bytes: number): Promise<void> {
    const path = `${logDirectory}/${padNumber(this.epoch)}.fill`;
    this.io.unlink(path);
    const file = this.io.open(path, 'create');
    if (file === undefined)
      throw new StorageError({ kind: 'io', operation: 'create', object: path });
    try {
      for (let at = 0; at < bytes; at += zeros.length) {
        await file.write(zeros.subarray(0, Math.min(zeros.length, bytes - at)), at);
      }
      await file.sync();
      // If the directory was replaced meanwhile, a shorter file has this name.
      if (!file.isAt(path)) throw new StorageError({ kind: 'io', operation: 'find', object: path });
    } catch (error) {
      this.io.unlink(path);
      throw error;
    } finally {
      file.close();
    }
    this.io.rename(path, this.sparePath);
    this.spareBytes = bytes;
  }
}
