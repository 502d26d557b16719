/**
 * Key ranges that commits have dropped. Dropped keys are no longer read or written, and compactions omit them.
 *
 * The log contains the commit that drops a range. Once the log boundary has passed that commit, the manifest contains the range while any
 * SSTable contains keys of it. A range is therefore known until its last key is gone, and forgotten then.
 */

import { ByteReader, ByteWriter, compareBytes, firstIndex } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { readKeyRange, writeKeyRange } from '../key/key-range-bytes.ts';
import { isBefore } from '../key/range-set.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';

export interface DroppedRange extends KeyRange {
  /** Sequence of the commit. A view below it can still see the range. */
  readonly sequence: number;
  /** Names of SSTables whose bounds enclose the range but which contain no key of it. */
  absentFrom: ReadonlySet<string>;
}

/** Name of the manifest property that lists the ranges. */
const propertyName = 'dropped';

export class DroppedRanges {
  private ranges: readonly DroppedRange[] = [];

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  /** Sequence of the newest commit that dropped one of the ranges; 0 if there is none. */
  get sequenceMax(): number {
    return this.ranges.reduce((max, { sequence }) => Math.max(max, sequence), 0);
  }

  /** Adds the ranges. A range that is already dropped is ignored. */
  add(ranges: readonly KeyRange[], sequence: number): void {
    const fresh = ranges.filter(
      (range) =>
        isBefore(range.from, range.to) && !this.ranges.some((known) => isSame(known, range)),
    );
    this.ranges = [...this.ranges, ...fresh.map((range) => made(range, sequence))];
  }

  /** Returns the ranges dropped up to `sequence`. The caller ensures that no view reads below it and no crash can undo those commits. */
  upTo(sequence: number): readonly DroppedRange[] {
    return this.ranges.filter((range) => range.sequence <= sequence);
  }

  /** Returns the ranges that a manifest with these runs and this log boundary must contain. */
  neededBy(runs: readonly RunEntry[], boundary: number): readonly DroppedRange[] {
    return this.ranges.filter(
      (range) => range.sequence <= boundary && runs.some((run) => meets(run, range)),
    );
  }

  /** Forgets the ranges that a confirmed manifest did not need: neither a log record nor an SSTable refers to them. */
  published(needed: readonly DroppedRange[], boundary: number): void {
    const kept = new Set(needed);
    this.ranges = this.ranges.filter((range) => range.sequence > boundary || kept.has(range));
  }

  /** Loads the ranges of a manifest. */
  load(properties: ReadonlyMap<string, Uint8Array>): void {
    const bytes = properties.get(propertyName);
    if (bytes === undefined) return;
    const reader = new ByteReader(bytes);
    this.ranges = reader.list(() => {
      const sequence = reader.varint();
      return made(readKeyRange(reader), sequence);
    });
  }
}

/** Returns `properties` with the list of `ranges`, or without the property if there are none. */
export function withDropped(
  properties: ReadonlyMap<string, Uint8Array>,
  ranges: readonly DroppedRange[],
): ReadonlyMap<string, Uint8Array> {
  const changed = new Map(properties);
  changed.delete(propertyName);
  if (ranges.length === 0) return changed;
  const writer = new ByteWriter();
  writer.list(ranges, (range) => {
    writer.varint(range.sequence);
    writeKeyRange(range, writer);
  });
  return changed.set(propertyName, writer.take());
}

function made({ from, to }: KeyRange, sequence: number): DroppedRange {
  return { from, to, sequence, absentFrom: new Set() };
}

/** Returns whether an SSTable of the run might contain keys of the range. */
function meets({ tables, past = [] }: RunEntry, range: DroppedRange): boolean {
  // A later merge would take a past version for the newest one of its key.
  return meetsAny(tables, range) || meetsAny(past, range);
}

function meetsAny(tables: readonly TableEntry[], range: DroppedRange): boolean {
  const first = firstIndex(0, tables.length, (at) => {
    return compareBytes((tables[at] as TableEntry).largest, range.from) >= 0;
  });
  for (let at = first; at < tables.length; at++) {
    const { name, smallest } = tables[at] as TableEntry;
    if (!isBefore(smallest, range.to)) return false;
    if (!range.absentFrom.has(name)) return true;
  }
  return false;
}

function isSame(left: KeyRange, right: KeyRange): boolean {
  if (compareBytes(left.from, right.from) !== 0) return false;
  if (left.to === undefined || right.to === undefined) return left.to === right.to;
  return compareBytes(left.to, right.to) === 0;
}
