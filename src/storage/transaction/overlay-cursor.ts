/** A scan of a transaction: merges its own writes over the snapshot, and records how far the scan has read. */

import { compareRanges, isPending, type Pending } from '#base';
import { BatchCursor } from '../batch/batch-cursor.ts';
import type { WriteBatch } from '../batch/write-batch.ts';
import type { Direction, EntryCursor, KeyRange } from '../contract/store.ts';
import type { BlockSpan } from '../contract/stored-block.ts';
import { passedMax, passedOver } from '../cursor/passed-over.ts';

const nothing = new Uint8Array(0);

/**
 * The examined part of the range. `untouched`: nothing. `on`: up to the key of the current entry. `unknown`: the cursor waits, so its last
 * key is no longer readable. `whole`: all of the range.
 */
type Extent = 'untouched' | 'on' | 'unknown' | 'whole';

/** Called when a scan is closed, before its key becomes unreadable. */
interface ScanObserver {
  closed(cursor: OverlayCursor): void;
}

export class OverlayCursor implements EntryCursor {
  readonly range: KeyRange;
  readonly direction: Direction;
  extent: Extent = 'untouched';
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  private readonly base: EntryCursor;
  private readonly writes: BatchCursor;
  private readonly observer: ScanObserver;
  private baseIsDue = true;
  private baseHasEntry = false;
  private isClosed = false;
  /** Tombstones skipped since the last yield. */
  private passed = 0;

  constructor(
    base: EntryCursor,
    batch: WriteBatch,
    scan: { readonly range: KeyRange; readonly direction: Direction },
    observer: ScanObserver,
  ) {
    this.base = base;
    this.range = scan.range;
    this.direction = scan.direction;
    this.writes = new BatchCursor(batch, scan.range, scan.direction);
    this.observer = observer;
  }

  next(): boolean | Pending {
    if (this.isClosed || this.extent === 'whole') return false;
    for (;;) {
      if (this.baseIsDue) {
        const answer = this.base.next();
        if (isPending(answer)) {
          this.extent = 'unknown';
          return answer;
        }
        this.baseHasEntry = answer;
        this.baseIsDue = false;
      }
      const order = this.order();
      if (order === undefined) {
        this.extent = 'whole';
        return false;
      }
      if (order < 0) return this.takeBase();
      if (order === 0) this.baseIsDue = true;
      if (this.takeWrite()) return true;
      if (++this.passed < passedMax) continue;
      this.passed = 0;
      this.extent = 'unknown';
      return passedOver;
    }
  }

  /**
   * Returns a run of the snapshot. Returns `undefined` if the next write is on or before the current entry, since `next` has then chosen
   * between them.
   */
  takeRun(max: number, below?: Uint8Array): BlockSpan | undefined {
    if (!this.isOnBase) return undefined;
    const run = this.base.takeRun?.(max, this.endOfBase(below));
    if (run !== undefined) this.showBaseKey();
    return run;
  }

  /** Passes over entries of the snapshot up to the next write. */
  takeCount(below?: Uint8Array): number {
    if (!this.isOnBase) return 0;
    const entries = this.base.takeCount?.(this.endOfBase(below)) ?? 0;
    if (entries > 0) this.showBaseKey();
    return entries;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.observer.closed(this);
    this.base.close();
  }

  private get isOnBase(): boolean {
    return this.baseIsDue && this.extent === 'on' && this.key === this.base.key;
  }

  /** Returns the lower one of `below` and the key of the next write. */
  private endOfBase(below: Uint8Array | undefined): Uint8Array | undefined {
    const write = this.writes.current;
    const isBelowNearer =
      write === undefined ||
      (below !== undefined &&
        compareRanges(below, 0, below.length, write.bytes, write.keyFrom, write.keyTo) <= 0);
    return isBelowNearer ? below : write.bytes.subarray(write.keyFrom, write.keyTo);
  }

  private showBaseKey(): void {
    const { base } = this;
    this.key = base.key;
    this.keyFrom = base.keyFrom;
    this.keyTo = base.keyTo;
  }

  /**
   * Compares the next entries. Below 0: the entry of the snapshot is next. Above 0: a write is next. 0: a write replaces the entry.
   * `undefined`: neither has an entry.
   */
  private order(): number | undefined {
    const write = this.writes.current;
    if (write === undefined) return this.baseHasEntry ? -1 : undefined;
    if (!this.baseHasEntry) return 1;
    const { key, keyFrom, keyTo } = this.base;
    const order = compareRanges(key, keyFrom, keyTo, write.bytes, write.keyFrom, write.keyTo);
    return this.direction === 'forward' ? order : -order;
  }

  private takeBase(): true {
    const base = this.base;
    this.baseIsDue = true;
    this.extent = 'on';
    this.showBaseKey();
    this.value = base.value;
    this.valueFrom = base.valueFrom;
    this.valueTo = base.valueTo;
    return true;
  }

  /** Shows the current write and advances. Returns false, and shows nothing, for a tombstone. */
  private takeWrite(): boolean {
    const write = this.writes.current;
    if (write === undefined) return false;
    const isShown = !write.isTombstone;
    if (isShown) {
      this.extent = 'on';
      this.key = this.value = write.bytes;
      this.keyFrom = write.keyFrom;
      this.keyTo = this.valueFrom = write.keyTo;
      this.valueTo = write.valueTo;
    }
    this.writes.advance();
    return isShown;
  }
}
