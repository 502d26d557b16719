/** A binary heap of cursors by (key, age). The root is on the next entry, from the newest source that has its key. */

import { compareRanges, isPending, type Pending } from '#base';
import type { BlockSpan } from '../contract/stored-block.ts';
import type { InternalCursor } from './internal-cursor.ts';

/** A cursor and its age. Age 0 is the newest source. */
interface Entrant {
  readonly cursor: InternalCursor;
  readonly age: number;
}

const noWait = -1;

export class MergeHeap {
  private readonly heap: Entrant[] = [];
  /** Cursors that were never advanced, or that returned a wait. */
  private starting: Entrant[];
  private readonly sign: number;
  /** Heap position of a cursor that returned a wait. */
  private waiting = noWait;
  /** Heap position of the smaller child of the root; 0 if unknown. Cached because most moves advance only the root. */
  private runnerUp = 0;
  /** True if the last comparison showed that no other cursor is on the root's key. */
  private isRootAlone = false;

  constructor(cursors: readonly InternalCursor[], isForward: boolean) {
    this.starting = cursors.map((cursor, age) => ({ cursor, age }));
    this.sign = isForward ? 1 : -1;
  }

  /** The cursor on the next entry; `undefined` at the end. */
  get root(): InternalCursor | undefined {
    return this.heap[0]?.cursor;
  }

  /** Advances every cursor to its first entry. All waits run concurrently. */
  start(): Pending | undefined {
    if (this.starting.length === 0) return undefined;
    const waits: Pending[] = [];
    const late: Entrant[] = [];
    for (const entrant of this.starting) {
      const moved = entrant.cursor.next();
      if (isPending(moved)) {
        waits.push(moved);
        late.push(entrant);
      } else if (moved) this.heap.push(entrant);
    }
    this.starting = late;
    if (waits.length > 0) return Promise.all(waits).then(() => undefined);
    for (let at = (this.heap.length >>> 1) - 1; at >= 0; at--) this.siftDown(at);
    return undefined;
  }

  /** Advances the root beyond its entry. */
  advanceRoot(): Pending | undefined {
    return this.advance(0);
  }

  /** Advances every other cursor beyond the root's key, since the root's version hides theirs. */
  dropOlder(): Pending | undefined {
    while (!this.isRootAlone) {
      const at = this.smallerChild();
      if (at === 0 || this.compareKeys(0, at) !== 0) {
        this.isRootAlone = true;
        return undefined;
      }
      const wait = this.advance(at);
      if (wait !== undefined) return wait;
    }
    return undefined;
  }

  /** Advances the root along a run that ends before the next key of every other cursor, and before `below`. */
  takeRun(max: number, below: Uint8Array | undefined): BlockSpan | undefined {
    const { cursor } = this.heap[0] as Entrant;
    if (cursor.takeRun === undefined || !this.isRootAhead()) return undefined;
    const run = cursor.takeRun(max, this.endOfRoot(below));
    if (run !== undefined) this.isRootAlone = true;
    return run;
  }

  /** Advances the root along counted entries that end before the next key of every other cursor, and before `below`. */
  takeCount(below: Uint8Array | undefined): number {
    const { cursor } = this.heap[0] as Entrant;
    if (cursor.takeCount === undefined || !this.isRootAhead()) return 0;
    const entries = cursor.takeCount(this.endOfRoot(below));
    if (entries > 0) this.isRootAlone = true;
    return entries;
  }

  /** Returns false while a cursor waits, or if the caller first has to drop the version that the root hides. */
  private isRootAhead(): boolean {
    if (this.waiting !== noWait) return false;
    const child = this.smallerChild();
    return child === 0 || this.compareKeys(0, child) < 0;
  }

  /** Returns the lower one of `below` and the next key of every other cursor. */
  private endOfRoot(below: Uint8Array | undefined): Uint8Array | undefined {
    const child = this.smallerChild();
    if (child === 0) return below;
    const { key, keyFrom, keyTo } = (this.heap[child] as Entrant).cursor;
    const isBelowNearer =
      below !== undefined && compareRanges(below, 0, below.length, key, keyFrom, keyTo) <= 0;
    return isBelowNearer ? below : key.subarray(keyFrom, keyTo);
  }

  /** Advances the cursor that returned a wait. Must be called first after each wait. */
  resume(): Pending | undefined {
    return this.waiting === noWait ? undefined : this.advance(this.waiting);
  }

  close(): void {
    for (const entrant of this.heap) entrant.cursor.close();
    for (const entrant of this.starting) entrant.cursor.close();
    this.heap.length = 0;
    this.starting = [];
    this.waiting = noWait;
  }

  private advance(at: number): Pending | undefined {
    const moved = (this.heap[at] as Entrant).cursor.next();
    if (isPending(moved)) {
      this.waiting = at;
      return moved;
    }
    this.waiting = noWait;
    if (!moved) this.remove(at);
    if (at === 0 && moved) this.settleRoot();
    else if (at < this.heap.length) this.siftDown(at);
    return undefined;
  }

  private remove(at: number): void {
    (this.heap[at] as Entrant).cursor.close();
    const last = this.heap.pop() as Entrant;
    if (at < this.heap.length) this.heap[at] = last;
    this.runnerUp = 0;
    this.isRootAlone = false;
  }

  /** Restores the order after the root moved. The root mostly stays the root, which one comparison shows. */
  private settleRoot(): void {
    const child = this.smallerChild();
    if (child === 0) {
      this.isRootAlone = true;
      return;
    }
    const order = this.compareKeys(0, child);
    this.isRootAlone = order < 0;
    if (order >= 0) this.siftDown(0);
  }

  private smallerChild(): number {
    if (this.runnerUp !== 0) return this.runnerUp;
    const length = this.heap.length;
    if (length < 2) return 0;
    this.runnerUp = length > 2 && this.compare(2, 1) < 0 ? 2 : 1;
    return this.runnerUp;
  }

  private siftDown(from: number): void {
    this.runnerUp = 0;
    this.isRootAlone = false;
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.heap.length) return;
      const right = left + 1;
      const child = right < this.heap.length && this.compare(right, left) < 0 ? right : left;
      if (this.compare(at, child) <= 0) return;
      const entrant = this.heap[at] as Entrant;
      this.heap[at] = this.heap[child] as Entrant;
      this.heap[child] = entrant;
      at = child;
    }
  }

  private compare(left: number, right: number): number {
    const order = this.compareKeys(left, right);
    if (order !== 0) return order;
    return (this.heap[left] as Entrant).age - (this.heap[right] as Entrant).age;
  }

  private compareKeys(left: number, right: number): number {
    const a = (this.heap[left] as Entrant).cursor;
    const b = (this.heap[right] as Entrant).cursor;
    return this.sign * compareRanges(a.key, a.keyFrom, a.keyTo, b.key, b.keyFrom, b.keyTo);
  }
}
