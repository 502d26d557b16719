/**
 * When each area of the key space last changed, for whoever wants to know without reading it.
 *
 * An area is what the owner of the keys says it is. A change is named by its sequence and by a mark, which follows from all commits that have ever
 * changed the area: a sequence alone may come twice with other writes, if the log lost its end, or a copy was put back, and answers had been given
 * before. The log replayed gives the names that its commits had, and what a manifest holds is exact for the state that it describes, so that a
 * writer that begins anew, and whoever reads that state, name its changes alike.
 */

import { ByteReader, ByteWriter, finishHash, mixWord } from '#base';
import type { EntrySpan } from '../key/entry-span.ts';

/** Of a key with which a commit says that it changes no area, whatever else it writes. */
export const noArea = -1;

/** The area that the key `bytes[from, to)` belongs to, or `noArea`; undefined when nobody will ask. Called for every write. */
export type AreaOf = (bytes: Uint8Array, from: number, to: number) => number | undefined;

/** By area; immutable. */
export type AreaStates = ReadonlyMap<number, AreaChange>;

interface AreaChange {
  /** 32 bits. */
  readonly mark: number;
  readonly sequence: number;
}

export const areasProperty = 'areas';

export class Areas {
  private readonly areaOf: AreaOf;
  private readonly changes = new Map<number, AreaChange>();
  /** Written to by the commit at hand. */
  private readonly noted = new Set<number>();
  private last: number | undefined;

  constructor(areaOf: AreaOf) {
    this.areaOf = areaOf;
  }

  /** From the newest manifest, before its log is replayed. */
  load(states: AreaStates): void {
    for (const [area, change] of states) this.changes.set(area, change);
  }

  /** The commit at hand writes the key of `entry`; nobody is told before `publish`. */
  note({ key, keyFrom, keyTo }: EntrySpan): void {
    const area = this.areaOf(key, keyFrom, keyTo);
    // Writes come in key order, so most are where the one before was.
    if (area === undefined || area === this.last) return;
    this.last = area;
    this.noted.add(area);
  }

  /** What was noted has changed at `sequence`, by the record with this checksum. */
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

  /** Names the last change; the empty text when there was none. */
  changeOf(area: number): string {
    return nameOf(this.changes.get(area));
  }

  /** As things are now. */
  states(): AreaStates {
    return new Map(this.changes);
  }
}

export function nameOf(change: AreaChange | undefined): string {
  return change === undefined ? '' : `${change.mark}.${change.sequence}`;
}

/** As a property of a manifest (docs/storage-format.md, "Areas"). */
export function encodeAreas(states: AreaStates): Uint8Array {
  const writer = new ByteWriter();
  writer.list(states, ([area, { mark, sequence }]) => {
    writer.varint(area);
    writer.varint(mark);
    writer.varint(sequence);
  });
  return writer.take();
}

/** Of the properties of a manifest. */
export function decodeAreas(properties: ReadonlyMap<string, Uint8Array>): AreaStates {
  const bytes = properties.get(areasProperty);
  if (bytes === undefined) return new Map();
  const reader = new ByteReader(bytes);
  const read = () =>
    [reader.varint(), { mark: reader.varint(), sequence: reader.varint() }] as const;
  return new Map(reader.list(read));
}
