/**
 * The data that a transaction has read: points, and every examined interval with its gaps. Above its size limit it becomes coarser, but
 * stays complete.
 */

import { afterKey, compareBytes, firstIndex, type Steps } from '#base';
import type { CommitYield } from '../batch/commit-yield.ts';
import type { KeyRange } from '../contract/store.ts';
import type { OverlayCursor } from './overlay-cursor.ts';

/** A point if `to === from`; otherwise the keys in [from, to). */
export interface ReadItem {
  readonly from: Uint8Array;
  readonly to: Uint8Array | undefined;
}

/** Checks whether another commit has written into data that was read. Each method returns the written key, or `undefined`. */
export interface ReadCheck {
  point(key: Uint8Array): Uint8Array | undefined;
  range(range: KeyRange): Uint8Array | undefined;
}

const itemsBeforeMerge = 1024;
const itemsMax = 32_768;
/** Number of items that are checked without a yield. This number is less than the work between two yields. */
const fewItems = 64;
/** Estimated memory of an item: the object, its position in the list, and the head of each of its keys. */
const objectBytes = 64;
const keyHeadBytes = 72;
/** The search for one item in the history takes approximately as long as copying this many bytes. */
const itemBytes = 4096;

export class ReadSet {
  /** In order, without overlaps. */
  private merged: ReadItem[] = [];
  /** Items in order of arrival. There are few, because sorting all items in one step would block other work for too long. */
  private fresh: ReadItem[] = [];
  /** Estimated memory of all items. */
  bytes = 0;
  /** The interval that contained the last point of the last merge: points of a table that was scanned need no items. */
  private cover: ReadItem | undefined;
  /** Open scans. Their examined part is determined when it is needed. */
  private readonly open = new Set<OverlayCursor>();

  get isEmpty(): boolean {
    return this.count === 0 && this.open.size === 0;
  }

  /** Number of points and intervals. */
  get count(): number {
    return this.merged.length + this.fresh.length;
  }

  addPoint(key: Uint8Array): void {
    if (this.cover !== undefined && contains(this.cover, key)) return;
    const copy = key.slice();
    this.add({ from: copy, to: copy });
  }

  opened(cursor: OverlayCursor): void {
    this.open.add(cursor);
  }

  closed(cursor: OverlayCursor): void {
    this.open.delete(cursor);
    const item = examined(cursor);
    if (item !== undefined) this.add(item);
  }

  /** Closes all open scans. */
  closeScans(): void {
    if (this.open.size === 0) return;
    for (const cursor of [...this.open]) cursor.close();
  }

  /** Returns whether the set is small enough to be checked without a yield. */
  get isSmall(): boolean {
    return this.count <= fewItems;
  }

  /** Returns the first key of a small set that another commit has written; `undefined` if there is none. */
  changedKeyOfFew(check: ReadCheck): Uint8Array | undefined {
    const key = this.changedInScans(check);
    if (key !== undefined) return key;
    for (const items of [this.merged, this.fresh]) {
      for (let i = 0; i < items.length; i++) {
        const key = askItem(items[i] as ReadItem, check);
        if (key !== undefined) return key;
      }
    }
    return undefined;
  }

  /** Returns the first key that another commit has written, with yields in between; `undefined` if there is none. */
  *changedKey(check: ReadCheck, stretch: CommitYield): Steps<Uint8Array | undefined> {
    const key = this.changedInScans(check);
    if (key !== undefined) return key;
    for (const items of [this.merged, this.fresh]) {
      for (let i = 0; i < items.length; i++) {
        const key = askItem(items[i] as ReadItem, check);
        if (key !== undefined) return key;
        const pause = stretch.after(itemBytes);
        if (pause !== undefined) yield pause;
      }
    }
    return undefined;
  }

  private changedInScans(check: ReadCheck): Uint8Array | undefined {
    for (const cursor of this.open) {
      const item = examined(cursor);
      const key = item === undefined ? undefined : askItem(item, check);
      if (key !== undefined) return key;
    }
    return undefined;
  }

  private add(item: ReadItem): void {
    this.fresh.push(item);
    this.bytes += bytesOf(item);
    if (this.fresh.length < itemsBeforeMerge) return;
    this.merge();
    this.cover = intervalAt(this.merged, item.from);
  }

  private merge(): void {
    const { merged, fresh } = this;
    this.fresh = [];
    const last = merged.at(-1);
    const added = mergeItems(fresh);
    if (last !== undefined && !isAbove(added[0] as ReadItem, last)) {
      this.merged = mergeItems(added, merged);
      this.bytes = bytesOfAll(this.merged);
    } else {
      this.bytes += bytesOfAll(added) - bytesOfAll(fresh);
      for (const item of added) merged.push(item);
    }
    if (this.merged.length <= itemsMax / 2) return;
    while (this.merged.length > itemsMax / 2) this.merged = coarsen(this.merged);
    this.bytes = bytesOfAll(this.merged);
  }
}

function bytesOf({ from, to }: ReadItem): number {
  const keyBytes = keyHeadBytes + from.length;
  return (
    objectBytes + (to === undefined || to === from ? keyBytes : keyBytes + keyHeadBytes + to.length)
  );
}

/** Returns the interval that contains the key, if one of `items` does. */
function intervalAt(items: readonly ReadItem[], key: Uint8Array): ReadItem | undefined {
  const above = firstIndex(0, items.length, (i) => {
    return compareBytes((items[i] as ReadItem).from, key) > 0;
  });
  const item = items[above - 1];
  return item !== undefined && contains(item, key) ? item : undefined;
}

/** Returns whether an interval contains the key. */
function contains({ from, to }: ReadItem, key: Uint8Array): boolean {
  if (to === from || compareBytes(from, key) > 0) return false;
  return to === undefined || compareBytes(key, to) < 0;
}

function bytesOfAll(items: readonly ReadItem[]): number {
  return items.reduce((bytes, item) => bytes + bytesOf(item), 0);
}

/** Returns whether `item` starts above all keys of `other` and is not adjacent to it. */
function isAbove(item: ReadItem, other: ReadItem): boolean {
  if (other.to === undefined) return false;
  return compareBytes(item.from, other.to) > 0;
}

function askItem(item: ReadItem, check: ReadCheck): Uint8Array | undefined {
  return item.to === item.from ? check.point(item.from) : check.range(item);
}

/** Returns the interval from the start of the scan to its last key, inclusive; `undefined` if nothing was examined. */
function examined(cursor: OverlayCursor): ReadItem | undefined {
  const { range, extent } = cursor;
  if (extent === 'untouched') return undefined;
  // While a cursor waits, its last key cannot be read. The whole range is then the safe result.
  if (extent !== 'on') return isEmptyRange(range) ? undefined : { from: range.from, to: range.to };
  const last = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
  if (cursor.direction === 'forward') return { from: range.from, to: afterKey(last) };
  return { from: last, to: range.to };
}

function isEmptyRange({ from, to }: KeyRange): boolean {
  return to !== undefined && compareBytes(from, to) >= 0;
}

/** Returns the items in order, without overlaps and without points inside intervals. `others` must already have this form. */
export function mergeItems(
  items: readonly ReadItem[],
  others: readonly ReadItem[] = [],
): ReadItem[] {
  const sorted = [...items].sort((left, right) => compareBytes(left.from, right.from));
  const merged: ReadItem[] = [];
  let last: ReadItem | undefined;
  for (const item of interleaved(sorted, others)) {
    if (last !== undefined && touches(last, item)) {
      last = join(last, item);
      merged[merged.length - 1] = last;
    } else {
      last = item;
      merged.push(item);
    }
  }
  return merged;
}

/** Merges two ordered lists into one. */
function interleaved(left: readonly ReadItem[], right: readonly ReadItem[]): readonly ReadItem[] {
  if (right.length === 0) return left;
  const all: ReadItem[] = [];
  let at = 0;
  for (const item of left) {
    for (; at < right.length; at++) {
      const other = right[at] as ReadItem;
      if (compareBytes(other.from, item.from) > 0) break;
      all.push(other);
    }
    all.push(item);
  }
  for (; at < right.length; at++) all.push(right[at] as ReadItem);
  return all;
}

/** Returns whether two items overlap or are adjacent. `right` must not start below `left`. */
function touches(left: ReadItem, right: ReadItem): boolean {
  if (left.to === undefined) return true;
  const order = compareBytes(right.from, left.to);
  if (left.to === left.from) return order === 0;
  return order < 0 || (order === 0 && right.to !== right.from);
}

function join(left: ReadItem, right: ReadItem): ReadItem {
  const to = later(endOf(left), endOf(right));
  return left.to === left.from && right.to === right.from ? left : { from: left.from, to };
}

function endOf(item: ReadItem): Uint8Array | undefined {
  return item.to === item.from ? afterKey(item.from) : item.to;
}

function later(left: Uint8Array | undefined, right: Uint8Array | undefined) {
  if (left === undefined || right === undefined) return undefined;
  return compareBytes(left, right) >= 0 ? left : right;
}

/** Halves the number of items by joining adjacent ones into one interval, including the gap between them. */
function coarsen(items: readonly ReadItem[]): ReadItem[] {
  const coarse: ReadItem[] = [];
  for (let i = 0; i < items.length; i += 2) {
    const left = items[i] as ReadItem;
    const right = items[i + 1];
    coarse.push(
      right === undefined ? left : { from: left.from, to: later(endOf(left), endOf(right)) },
    );
  }
  return coarse;
}
