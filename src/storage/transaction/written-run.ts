/** A run of own writes as a source. A read between the ranges of its keys does not open an SSTable. */

import type { Pending } from '#base';
import type { KeyBatch } from '../contract/key-batch.ts';
import type { Direction, KeyRange } from '../contract/store.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { Lookup } from '../cursor/lookup.ts';
import type { CursorSource, KeyNeighborhood } from '../cursor/source.ts';
import type { WrittenRanges } from './written-ranges.ts';

/**
 * A run contains keys of a table and of its indexes, which are far apart. A transaction that changes rows in key order therefore reads between
 * the keys of every earlier run, and the filters of many runs do not fit into the cache.
 */
export class WrittenRun implements CursorSource {
  private readonly source: CursorSource;
  private readonly ranges: WrittenRanges;

  constructor(source: CursorSource, ranges: WrittenRanges) {
    this.source = source;
    this.ranges = ranges;
  }

  find(lookup: Lookup): boolean | Promise<boolean> {
    return this.ranges.mayContain(lookup.key) && this.source.find(lookup);
  }

  findAll(batch: KeyBatch, from: number, to: number): Pending | undefined {
    const last = Math.min(to, batch.end) - 1;
    if (last < from) return undefined;
    const [first, end] = [batch.keys[from] as Uint8Array, batch.keys[last] as Uint8Array];
    return this.ranges.mayContainOne(first, end) ? this.source.findAll(batch, from, to) : undefined;
  }

  near(key: Uint8Array, around: KeyNeighborhood): CursorSource | undefined {
    const { before, at, after } = this.ranges.around(key);
    if (at) return this.source.near(key, around);
    if (before !== undefined) around.startAfter(before);
    if (after !== undefined) around.endBefore(after);
    return undefined;
  }

  scan(
    range: KeyRange,
    direction: Direction,
    snapshot: number,
    bounds?: readonly ZoneBound[],
  ): InternalCursor {
    if (!this.ranges.mayMeet(range)) return emptyCursor;
    return this.source.scan(range, direction, snapshot, bounds);
  }

  versions(range: KeyRange): InternalCursor {
    return this.source.versions(range);
  }

  entriesIn(range: KeyRange): number {
    return this.ranges.mayMeet(range) ? this.source.entriesIn(range) : 0;
  }
}
