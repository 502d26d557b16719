/**
 * The cursor over an SSTable: visits block after block, and in each block the slots that are
 * visible to the snapshot.
 */

import { compareBytes, isPending, type Pending } from '#base';
import type { Direction, KeyRange } from '../contract/store.ts';
import type { BlockSpan, ZoneBound } from '../contract/stored-block.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import { passedMax, passedOver } from '../cursor/passed-over.ts';
import type { Block } from './block.ts';
import { BlockWalk, type WalkOptions } from './block-walk.ts';
import type { ReadAheadBounds } from './read-ahead.ts';
import type { TableSections } from './table-sections.ts';

const nothing = new Uint8Array(0);

export interface TableScan {
  readonly range: KeyRange;
  readonly direction: Direction;
  readonly snapshot: number | 'every version';
  readonly fillsCache: boolean;
  readonly readAhead: ReadAheadBounds;
  readonly bounds?: readonly ZoneBound[] | undefined;
  /** The highest sequence of the SSTable. */
  readonly sequenceMax: number;
}

export class TableCursor implements InternalCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence = 0;
  isTombstone = false;
  private readonly walk: BlockWalk;
  private readonly sections: TableSections;
  private range: KeyRange;
  private isForward = true;
  private snapshot = 0;
  private isEveryVersion = false;
  /** Every entry of a plain block is visible, and none is passed over. */
  private canCount = false;
  private block: Block | undefined;
  /** The block that the walk has visited last, until a wait. */
  private visited: Block | undefined;
  private hasWaited = false;
  /** Every slot of the block is visible. */
  private isPlain = false;
  /** Remaining slots of the block: [from, to). */
  private from = 0;
  private to = 0;
  private prefersRuns = false;
  /** A version of the key of the previous slot has been shown. */
  private isKeyShown = false;
  private isLastBlock = false;
  private keyBuffer: Uint8Array = nothing;
  /** Slots in blocks whose remaining slots were all invisible, since the last yield. */
  private passed = 0;

  constructor(sections: TableSections, scan: TableScan) {
    this.sections = sections;
    this.range = scan.range;
    this.start(scan);
    this.walk = new BlockWalk(sections, walkOf(scan));
  }

  /**
   * Begins another scan, after `close`, as a new cursor would. Returns false if this cursor cannot: it belongs to other sections, or it has
   * waited, and that read may still arrive. A scan that begins between two keys of the last block starts there.
   */
  restart(sections: TableSections, scan: TableScan): boolean {
    if (sections !== this.sections || this.hasWaited) return false;
    const { visited } = this;
    const isSameWay = this.isForward === (scan.direction === 'forward');
    this.start(scan);
    const options = walkOf(scan);
    const first = scan.direction === 'forward' ? scan.range.from : (scan.range.to as Uint8Array);
    const slot = visited === undefined || !isSameWay ? 0 : visited.lowerBound(first);
    if (visited === undefined || slot === 0 || slot === visited.rows) {
      this.visited = undefined;
      this.walk.restart(options);
    } else {
      this.walk.keepPlace(options);
      this.enter(visited);
    }
    return true;
  }

  private start(scan: TableScan): void {
    this.range = scan.range;
    this.isForward = scan.direction === 'forward';
    this.isEveryVersion = scan.snapshot === 'every version';
    this.snapshot = scan.snapshot === 'every version' ? Infinity : scan.snapshot;
    this.canCount =
      scan.direction === 'forward' &&
      !this.isEveryVersion &&
      scan.bounds === undefined &&
      scan.sequenceMax <= this.snapshot;
    this.block = undefined;
    this.prefersRuns = false;
    this.isKeyShown = false;
    this.isLastBlock = false;
    this.passed = 0;
  }

  next(): boolean | Pending {
    for (;;) {
      const { block } = this;
      if (block !== undefined) {
        const slot = this.isForward ? this.nextSlot(block) : this.previousSlot(block);
        if (slot >= 0) {
          this.show(block, slot);
          return true;
        }
        this.block = undefined;
        if (!this.isPlain) this.passed += block.rows;
      }
      if (this.isLastBlock) return false;
      if (this.passed >= passedMax) {
        this.passed = 0;
        return passedOver;
      }
      const entered = this.walk.next();
      this.visited = undefined;
      if (isPending(entered)) {
        this.hasWaited = true;
        return entered;
      }
      if (entered === undefined) this.isLastBlock = true;
      else this.enter(entered);
    }
  }

  takeRun(max: number, below?: Uint8Array): BlockSpan | undefined {
    const { block } = this;
    if (block === undefined || !this.startsRun(block)) return undefined;
    const from = this.from - 1;
    const end = below === undefined ? this.to : Math.min(this.to, block.lowerBound(below));
    const to = this.endOfRun(block, Math.min(end, from + max));
    if (to <= from) {
      if (this.prefersRuns) block.values.join(from, this);
      return undefined;
    }
    this.from = to;
    this.passed = 0;
    this.showKey(block, to - 1);
    return { block, from, to };
  }

  takeCount(below?: Uint8Array): number {
    if (!this.canCount || this.isLastBlock || this.from < this.to) return 0;
    const end = this.range.to as Uint8Array;
    const isBelowNearer = below !== undefined && compareBytes(below, end) < 0;
    const entries = this.walk.passCounted(isBelowNearer ? below : end);
    if (entries === 0) return 0;
    this.block = undefined;
    this.visited = undefined;
    this.isLastBlock = this.walk.isPast(end);
    this.key = this.walk.separator();
    this.keyFrom = 0;
    this.keyTo = this.key.length;
    return entries;
  }

  preferRuns(): void {
    this.prefersRuns = true;
  }

  close(): void {
    this.block = undefined;
    this.isLastBlock = true;
  }

  /** Returns whether the entry of the slot before `from` can begin a run. */
  private startsRun(block: Block): boolean {
    return this.isForward && !this.isEveryVersion && !block.isTombstone(this.from - 1);
  }

  /**
   * Returns the end of the run that begins before `from`: at most `max`, and before the first slot
   * that is a tombstone, an older version or too new for the snapshot.
   */
  private endOfRun(block: Block, max: number): number {
    let end = max;
    if (block.tombstonesAt !== 0) end = block.firstTombstone(this.from, end);
    if (this.isPlain) return end;
    if (block.sameKeysAt !== 0) end = block.firstOlder(this.from, end);
    if (block.highestSequence <= this.snapshot) return end;
    let slot = this.from;
    while (slot < end && block.sequence(slot) <= this.snapshot) slot++;
    return Math.min(slot, end);
  }

  private enter(block: Block): void {
    const end = this.range.to as Uint8Array;
    this.block = block;
    this.visited = block;
    this.from = block.lowerBound(this.range.from);
    this.to = block.lowerBound(end);
    this.isPlain =
      this.isEveryVersion || (block.sameKeysAt === 0 && block.highestSequence <= this.snapshot);
    this.isLastBlock = this.isForward
      ? this.to < block.rows || this.walk.isPast(end)
      : this.from > 0;
    const length = block.prefixLength;
    if (length > 0) {
      if (this.keyBuffer.length < length) this.keyBuffer = new Uint8Array(2 * length + 32);
      const { bytes, prefixAt } = block;
      for (let i = 0; i < length; i++) this.keyBuffer[i] = bytes[prefixAt + i] as number;
    }
  }

  private nextSlot(block: Block): number {
    if (this.isPlain) return this.from < this.to ? this.from++ : -1;
    while (this.from < this.to) {
      const slot = this.from++;
      if (!block.isOlder(slot)) this.isKeyShown = false;
      if (!this.isKeyShown && block.sequence(slot) <= this.snapshot) {
        this.isKeyShown = true;
        return slot;
      }
    }
    return -1;
  }

  private previousSlot(block: Block): number {
    if (this.isPlain) return this.from < this.to ? --this.to : -1;
    while (this.from < this.to) {
      let newest = this.to - 1;
      while (block.isOlder(newest)) newest--;
      this.to = newest;
      const slot = block.visibleFrom(newest, this.snapshot);
      if (slot >= 0) return slot;
    }
    return -1;
  }

  private show(block: Block, slot: number): void {
    this.showKey(block, slot);
    if (!this.prefersRuns || !this.startsRun(block)) block.values.join(slot, this);
    this.sequence = block.sequence(slot);
    this.isTombstone = block.isTombstone(slot);
  }

  private showKey(block: Block, slot: number): void {
    const { prefixLength } = block;
    const from = block.suffixFrom(slot);
    const to = block.suffixTo(slot);
    if (prefixLength === 0) {
      this.key = block.bytes;
      this.keyFrom = from;
      this.keyTo = to;
    } else {
      const length = prefixLength + to - from;
      if (this.keyBuffer.length < length) this.growKeyBuffer(length, prefixLength);
      const buffer = this.keyBuffer;
      if (to - from > 48) buffer.set(block.bytes.subarray(from, to), prefixLength);
      else copyBytes(block.bytes, from, to, buffer, prefixLength);
      this.key = buffer;
      this.keyFrom = 0;
      this.keyTo = length;
    }
  }

  private growKeyBuffer(length: number, prefixLength: number): void {
    const grown = new Uint8Array(2 * length);
    grown.set(this.keyBuffer.subarray(0, prefixLength));
    this.keyBuffer = grown;
  }
}

function walkOf({ range, direction, fillsCache, readAhead, bounds }: TableScan): WalkOptions {
  const { from, to } = range;
  const isForward = direction === 'forward';
  return { range: { from, to: to as Uint8Array }, isForward, fillsCache, readAhead, bounds };
}

function copyBytes(
  source: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  at: number,
): void {
  for (let i = from; i < to; i++) target[at + i - from] = source[i] as number;
}
