/**
 * Key ranges that commits have given up: nobody reads or writes them any more, and merges leave them out.
 *
 * The commit that drops a range is in the log; once the log boundary has passed it, the manifest names the range for as long as a
 * table holds keys of it. So a range is known until the last of it is gone, and forgotten then.
 */

import { ByteReader, ByteWriter, compareBytes, firstIndex } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { readKeyRange, writeKeyRange } from '../key/key-range-bytes.ts';
import { isBefore } from '../key/range-set.ts';
import type { Run } from '../manifest/manifest.ts';

export interface DroppedRange extends KeyRange {
  /** Of the commit: who reads below it may still see the range. */
  readonly sequence: number;
  /** Names of tables whose bounds enclose it but that were found to hold no key of it. */
  absentFrom: ReadonlySet<string>;
}

/** Name of the property of a manifest that lists them. */
const propertyName = 'dropped';

export class DroppedRanges {
  private ranges: readonly DroppedRange[] = [];

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  /** The newest commit that dropped one of them. */
  get sequenceMax(): number {
    return this.ranges.reduce((max, { sequence }) => Math.max(max, sequence), 0);
  }

  /** Dropping again what has been dropped changes nothing. */
  add(ranges: readonly KeyRange[], sequence: number): void {
    const fresh = ranges.filter(
      (range) =>
        isBefore(range.from, range.to) && !this.ranges.some((known) => isSame(known, range)),
    );
    this.ranges = [...this.ranges, ...fresh.map((range) => made(range, sequence))];
  }

  /** Those up to `sequence`: no view reads below it, and no crash can undo their commits. */
  upTo(sequence: number): readonly DroppedRange[] {
    return this.ranges.filter((range) => range.sequence <= sequence);
  }

  /** Those that a manifest with these runs and this log boundary must name. */
  neededBy(runs: readonly Run[], boundary: number): readonly DroppedRange[] {
    return this.ranges.filter(
      (range) => range.sequence <= boundary && runs.some((run) => meets(run, range)),
    );
  }

  /** After that manifest has been confirmed: forgets what it did not need, for no log record and no table is left of it. */
  published(needed: readonly DroppedRange[], boundary: number): void {
    const kept = new Set(needed);
    this.ranges = this.ranges.filter((range) => range.sequence > boundary || kept.has(range));
  }

  /** Takes over what a manifest names. */
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

/** `properties` with the list of `ranges`, without it when there are none. */
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

/** Whether a table of the run may hold keys of the range. */
function meets({ tables }: Run, range: DroppedRange): boolean {
  const first = firstIndex(0, tables.length, (at) => {
    return compareBytes((tables[at] as (typeof tables)[number]).largest, range.from) >= 0;
  });
  for (let at = first; at < tables.length; at++) {
    const { name, smallest } = tables[at] as (typeof tables)[number];
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
