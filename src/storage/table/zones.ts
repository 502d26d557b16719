/**
 * What is known of the values of each block without reading it: the least and the greatest number in a column. Written behind the filter of a
 * partition (docs/storage-format.md, "Index").
 *
 *     u16 columns | u32 id[columns] | u8 kind[blocks × columns] | f64 least, f64 greatest [blocks × columns] | u32 bytes before
 */

import { ByteWriter } from '#base';
import type { ZoneBound } from '../contract/stored-block.ts';

export const zoneKinds = {
  /** Nothing is known. */
  none: 0,
  /** Every value is what an int64 is written as, exact as a number. */
  ints: 1,
  /** Every value has eight bytes: the bounds are those of the floats that they would be. */
  floats: 2,
  /** There is no value. */
  empty: 3,
} as const;

export interface Zone {
  readonly column: number;
  readonly kind: number;
  readonly min: number;
  readonly max: number;
}

const lengthBytes = 4;
const nothing = { kind: zoneKinds.none, min: 0, max: 0 };

export function appendZones(blocks: readonly (readonly Zone[])[], out: ByteWriter): void {
  const ids = [...new Set(blocks.flatMap((zones) => zones.map(({ column }) => column)))];
  const section = new ByteWriter(1024);
  section.u16(ids.length);
  for (const id of ids) section.u32(id);
  const cells = blocks.flatMap((zones) =>
    ids.map((id) => zones.find(({ column }) => column === id) ?? nothing),
  );
  for (const { kind } of cells) section.u8(kind);
  for (const { min, max } of cells) {
    section.f64(min);
    section.f64(max);
  }
  out.append(section.peek());
  out.u32(section.length);
}

/** The zones of a partition, read in place. */
export class PartitionZones {
  /** All of them, their length included. */
  readonly bytes: number;
  private readonly view: DataView;
  private readonly columns: number;
  private readonly kindsAt: number;
  private readonly boundsAt: number;

  /** `partition` ends with them. */
  constructor(partition: Uint8Array, blocks: number) {
    const { buffer, byteOffset, byteLength } = partition;
    const lengthAt = byteLength - lengthBytes;
    const length = new DataView(buffer, byteOffset, byteLength).getUint32(lengthAt, true);
    this.bytes = length + lengthBytes;
    this.view = new DataView(buffer, byteOffset + lengthAt - length, length);
    this.columns = this.view.getUint16(0, true);
    this.kindsAt = 2 + 4 * this.columns;
    this.boundsAt = this.kindsAt + blocks * this.columns;
  }

  /** No value of the block is within one of the bounds. */
  excludes(block: number, bounds: readonly ZoneBound[]): boolean {
    for (let i = 0; i < bounds.length; i++) {
      if (this.isOutside(block, bounds[i] as ZoneBound)) return true;
    }
    return false;
  }

  private isOutside(block: number, bound: ZoneBound): boolean {
    const { view, columns } = this;
    for (let c = 0; c < columns; c++) {
      if (view.getUint32(2 + 4 * c, true) !== bound.column) continue;
      const cell = block * columns + c;
      const kind = view.getUint8(this.kindsAt + cell);
      // NULL lies within a bound that has no end.
      if (kind === zoneKinds.empty) return bound.min > -Infinity || bound.max < Infinity;
      if (kind !== (bound.isFloat ? zoneKinds.floats : zoneKinds.ints)) return false;
      const at = this.boundsAt + 16 * cell;
      return view.getFloat64(at + 8, true) < bound.min || view.getFloat64(at, true) > bound.max;
    }
    return false;
  }
}
