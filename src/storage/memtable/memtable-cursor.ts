/** A cursor over a memtable that may accept inserts during the scan: versions above the snapshot stay invisible. */

import { compareBytes } from '#base';
import type { Direction, KeyRange } from '../contract/store.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { Entries } from './entries.ts';
import type { KeyOrder } from './key-order.ts';
import { KeyPosition } from './key-position.ts';

const nothing = new Uint8Array(0);

export class MemtableCursor implements InternalCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence = 0;
  isTombstone = false;
  private readonly entries: Entries;
  private readonly place: KeyPosition;
  private readonly isForward: boolean;
  private readonly snapshot: number;
  private readonly isEveryVersion: boolean;
  /** Forward: the first chain head past the range, 0 for none. Backward: the last one to show. */
  private readonly end: number;
  private version = 0;
  private isStarted = false;
  private isDone: boolean;

  constructor(
    entries: Entries,
    order: KeyOrder,
    range: KeyRange,
    direction: Direction,
    snapshot: number | 'every version',
  ) {
    this.entries = entries;
    this.isEveryVersion = snapshot === 'every version';
    this.snapshot = snapshot === 'every version' ? Infinity : snapshot;
    this.isForward = direction === 'forward';
    this.place = new KeyPosition(entries, order);
    this.place.seek(range.from);
    const first = this.place.chainHead;
    const past = this.place.copy();
    past.seek(range.to);
    const isEmpty = range.to !== undefined && compareBytes(range.from, range.to) >= 0;
    this.isDone = isEmpty || first === past.chainHead;
    this.end = this.isForward ? past.chainHead : first;
    if (!this.isForward) this.place = past;
  }

  /** True if the range contains no key before the first `next`. Keys inserted into it later are too new for any current snapshot. */
  get isEmpty(): boolean {
    return this.isDone;
  }

  next(): boolean {
    if (this.isEveryVersion && this.version !== 0) {
      const older = this.entries.older(this.version);
      if (older !== 0) return this.show(older);
    }
    while (!this.isDone) {
      this.step();
      if (this.isDone) break;
      const version = this.entries.visible(this.place.chainHead, this.snapshot);
      if (version !== 0) {
        this.entries.showKey(this.place.chainHead, this);
        return this.show(version);
      }
    }
    this.version = 0;
    return false;
  }

  close(): void {
    this.isDone = true;
    this.version = 0;
  }

  private show(version: number): true {
    this.version = version;
    this.entries.showVersion(version, this);
    return true;
  }

  private step(): void {
    if (this.isForward) {
      if (this.isStarted) this.place.forward();
      this.isDone = this.place.chainHead === this.end || this.place.chainHead === 0;
    } else {
      this.isDone = this.isStarted && this.place.chainHead === this.end;
      if (!this.isDone) this.place.backward();
    }
    this.isStarted = true;
  }
}
