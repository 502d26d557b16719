/** A sorted run: SSTables with disjoint key ranges in ascending order, as one source. */

import { compareBytes, type Pending } from '#base';
import type { KeyBatch } from '../contract/key-batch.ts';
import type { Direction, KeyRange } from '../contract/store.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { Lookup } from '../cursor/lookup.ts';
import type { CursorSource, KeyNeighborhood, RemoteBlocks } from '../cursor/source.ts';
import { sumRemote } from '../cursor/sum-remote.ts';
import { ConcatCursor } from './concat-cursor.ts';
import type { SsTable } from './ss-table.ts';

/**
 * Maximum numbers of sampled SSTables, and of sampled blocks in all of them, for an estimate of the
 * remote part of a range.
 */
const tablesLooked = 32;
const blocksLooked = 256;

export class SortedRun implements CursorSource {
  readonly tables: readonly SsTable[];

  constructor(tables: readonly SsTable[]) {
    this.tables = tables;
  }

  find(lookup: Lookup): boolean | Promise<boolean> {
    const table = this.tables[this.firstUpTo(lookup.key)];
    return table === undefined ? false : table.find(lookup);
  }

  findAll(batch: KeyBatch, from: number, to: number): Pending | undefined {
    const { keys } = batch;
    for (let at = from; at < Math.min(to, batch.end); ) {
      const table = this.tables[this.firstUpTo(keys[at] as Uint8Array)];
      if (table === undefined) return undefined;
      const { largest } = table.entry;
      let end = at + 1;
      while (end < to && compareBytes(keys[end] as Uint8Array, largest) <= 0) end++;
      const wait = table.findAll(batch, at, end);
      if (wait !== undefined) return wait;
      at = end;
    }
    return undefined;
  }

  near(key: Uint8Array, around: KeyNeighborhood): SsTable | undefined {
    const at = this.firstUpTo(key);
    const before = this.tables[at - 1];
    if (before !== undefined) around.startAfter(before.entry.largest);
    return this.tables[at]?.near(key, around);
  }

  scan(
    range: KeyRange,
    direction: Direction,
    snapshot: number,
    bounds?: readonly ZoneBound[],
    spare?: InternalCursor,
  ): InternalCursor {
    const tables = this.overlapping(range);
    if (direction === 'backward') tables.reverse();
    const own = tables.length === 1 ? spare : undefined;
    return concat(tables, (table) => table.scan(range, direction, snapshot, bounds, own));
  }

  versions(range: KeyRange): InternalCursor {
    return concat(this.overlapping(range), (table) => table.versions(range));
  }

  entriesIn(range: KeyRange): number {
    return this.overlapping(range).reduce((sum, table) => sum + table.entriesIn(range), 0);
  }

  remoteIn(range: KeyRange): RemoteBlocks | undefined {
    // All SSTables of a run are in the same location.
    if (this.tables[0]?.isRemote !== true) return undefined;
    const tables = this.overlapping(range);
    const count = Math.min(tables.length, tablesLooked);
    const looked = Array.from(
      { length: count },
      (_, i) => tables[Math.floor(((i + 0.5) * tables.length) / count)] as SsTable,
    );
    const looks = Math.ceil(blocksLooked / Math.max(1, count));
    const found = looked.map((table) => table.remoteIn(range, looks));
    return sumRemote(found, count / Math.max(1, tables.length));
  }

  private overlapping(range: KeyRange): SsTable[] {
    const { tables } = this;
    const from = this.firstUpTo(range.from);
    let to = from;
    for (; to < tables.length; to++) {
      const { smallest } = (tables[to] as SsTable).entry;
      if (range.to !== undefined && Buffer.compare(smallest, range.to) >= 0) break;
    }
    return tables.slice(from, to);
  }

  /** Returns the index of the first SSTable whose largest key is at or above `key`. */
  private firstUpTo(key: Uint8Array): number {
    let low = 0;
    let high = this.tables.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { largest } = (this.tables[middle] as SsTable).entry;
      if (compareBytes(largest, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function concat(
  tables: readonly SsTable[],
  open: (table: SsTable) => InternalCursor,
): InternalCursor {
  const [only] = tables;
  if (only === undefined) return emptyCursor;
  return tables.length === 1 ? open(only) : new ConcatCursor(tables, open);
}
