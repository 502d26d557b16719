/**
 * Tracks when each range of the key space last changed, so that a caller can detect a change without reading the range.
 *
 * The owner of the keys defines the tracked ranges. A change is identified by its sequence and by a mark, which depends on all commits that
 * have ever changed the range. A sequence alone can occur twice with different writes: the log can lose its end, or a copy can be restored,
 * after results were returned. Replaying the log gives the changes of its commits the same identifiers. The data in a manifest is exact for
 * the state that it describes. A restarted writer and every reader of that state therefore identify its changes alike.
 */

import { ByteReader, ByteWriter, finishHash, mixWord } from '#base';
import type { EntrySpan } from '../key/entry-span.ts';

/** The range of a key by which a commit declares that it changes no tracked range, whatever else it writes. */
export const noArea = -1;

/** Returns the tracked range of the key `bytes[from, to)`, or `noArea`; `undefined` if the key is not tracked. Called for every write. */
export type AreaOf = (bytes: Uint8Array, from: number, to: number) => number | undefined;

/** The last change by tracked range; immutable. */
export type AreaStates = ReadonlyMap<number, AreaChange>;

interface AreaChange {
  /** An unsigned integer of 32 bits. */
  readonly mark: number;
  readonly sequence: number;
}

export const areasProperty = 'areas';

export class ChangeTracker {
  private readonly areaOf: AreaOf;
  private readonly changes = new Map<number, AreaChange>();
  /** Tracked ranges written by the current commit. */
  private readonly noted = new Set<number>();
  private last: number | undefined;

  constructor(areaOf: AreaOf) {
    this.areaOf = areaOf;
  }

  /** Loads the state of the newest manifest, before its log is replayed. */
  load(states: AreaStates): void {
    for (const [area, change] of states) this.changes.set(area, change);
  }

  /** Records that the current commit writes the key of `entry`. The change is visible only after `publish`. */
  note({ key, keyFrom, keyTo }: EntrySpan): void {
    const area = this.areaOf(key, keyFrom, keyTo);
    // Writes are in key order, so most are in the same range as the previous one.
    if (area === undefined || area === this.last) return;
    this.last = area;
    this.noted.add(area);
  }

  /** Records that the current commit writes into these tracked ranges. */
  noteAreas(areas: Iterable<number>): void {
    for (const area of areas) this.noted.add(area);
  }

  /** Records a change at `sequence` of all noted ranges. `crc` is the checksum of the log record. */
  publish(sequence: number, crc: number): void {
    if (this.noted.has(noArea)) this.noted.clear();
    for (const area of this.noted) {
      const before = this.changes.get(area)?.mark ?? 0;
      const mark = finishHash(mixWord(mixWord(before, crc), sequence));
      this.changes.set(area, { mark, sequence });
    }
    this.noted.clear();
    this.last = undefined;
  }

  /** Returns an identifier of the last change; empty if there was none. */
  changeOf(area: number): string {
    return nameOf(this.changes.get(area));
  }

  /** Returns a copy of the current state. */
  states(): AreaStates {
    return new Map(this.changes);
  }
}

export function nameOf(change: AreaChange | undefined): string {
  return change === undefined ? '' : `${change.mark}.${change.sequence}`;
}

/** Encodes the state as a property of a manifest (docs/storage-format.md, "Areas"). */
export function encodeAreas(states: AreaStates): Uint8Array {
  const writer = new ByteWriter();
  writer.list(states, ([area, { mark, sequence }]) => {
    writer.varint(area);
    writer.varint(mark);
    writer.varint(sequence);
  });
  return writer.take();
}

/** Decodes the state from the properties of a manifest. */
export function decodeAreas(properties: ReadonlyMap<string, Uint8Array>): AreaStates {
  const bytes = properties.get(areasProperty);
  if (bytes === undefined) return new Map();
  const reader = new ByteReader(bytes);
  const read = () =>
    [reader.varint(), { mark: reader.varint(), sequence: reader.varint() }] as const;
  return new Map(reader.list(read));
}
