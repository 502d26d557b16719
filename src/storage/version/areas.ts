/**
 * When each area of the key space last changed, for whoever wants to know without reading it.
 *
 * An area is what the owner of the keys says it is. A change is named by epoch and sequence: a sequence alone may come twice, if the log
 * lost its end and answers had been given before. What a manifest holds is exact for the state it describes, so that whoever reads that
 * state names its changes as the writer does.
 */

import { ByteReader, ByteWriter } from '#base';
import type { EntrySpan } from '../key/entry-span.ts';

/** The area that the key `bytes[from, to)` belongs to; undefined when nobody will ask. Called for every write. */
export type AreaOf = (bytes: Uint8Array, from: number, to: number) => number | undefined;

/** By area; immutable. */
export type AreaStates = ReadonlyMap<number, AreaChange>;

interface AreaChange {
  /** Of the writer; 0 is this process, whose epoch is not known before the log has been read. */
  readonly epoch: number;
  readonly sequence: number;
}

export const areasProperty = 'areas';

export class Areas {
  /** Of this writer, once it has one. */
  epoch = 0;
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

  /** What was noted has changed at `sequence`. */
  publish(sequence: number): void {
    for (const area of this.noted) this.changes.set(area, { epoch: 0, sequence });
    this.noted.clear();
    this.last = undefined;
  }

  /** Names the last change; the empty text when there was none. */
  changeOf(area: number): string {
    return nameOf(this.changes.get(area), this.epoch);
  }

  /** As things are now. */
  states(): AreaStates {
    return new Map(this.changes);
  }
}

export function nameOf(change: AreaChange | undefined, ownEpoch: number): string {
  return change === undefined ? '' : `${change.epoch || ownEpoch}.${change.sequence}`;
}

/** As a property of a manifest (docs/storage-format.md, "Areas"). */
export function encodeAreas(states: AreaStates, ownEpoch: number): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(states.size);
  for (const [area, { epoch, sequence }] of states) {
    writer.varint(area);
    writer.varint(epoch || ownEpoch);
    writer.varint(sequence);
  }
  return writer.take();
}

/** Of the properties of a manifest. */
export function decodeAreas(properties: ReadonlyMap<string, Uint8Array>): AreaStates {
  const bytes = properties.get(areasProperty);
  const states = new Map<number, AreaChange>();
  if (bytes === undefined) return states;
  const reader = new ByteReader(bytes);
  for (let count = reader.varint(); count > 0; count--) {
    const area = reader.varint();
    states.set(area, { epoch: reader.varint(), sequence: reader.varint() });
  }
  return states;
}
