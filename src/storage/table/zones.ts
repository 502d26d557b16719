/**
 * Zones: facts on the values of blocks that are known without reading the blocks. A zone contains
 * the least and the greatest number or text of a column, and whether the column contains NULL or
 * any other value. The zones of the blocks follow the filter of their partition. The zones of the
 * partitions are at the end of the top index, where each partition counts as one block
 * (docs/storage-format.md, "Index").
 *
 *     u16 columns | u32 id[columns] | u8 kind[blocks × columns] | f64 least, f64 greatest [blocks × columns]
 *     u16 columns | u32 id[columns] | u8 contents[blocks × columns] | u16 texts | u16 column[texts] | texts | u32 bytes before
 *
 * The bits of plain blocks follow (plain-blocks.ts). Programs that support only the first line skip
 * the rest, and their SSTables do not contain it.
 */

import { ByteReader, ByteWriter } from '#base';
import type { NumberBound, ZoneBound } from '../contract/stored-block.ts';
import { appendPlainBlocks, PlainBlocks } from './plain-blocks.ts';
import { appendTextZone, type TextEnds, TextZone, textEndsOf } from './text-zones.ts';

export const zoneKinds = {
  /** The zone contains no facts. */
  none: 0,
  /** Every value has the encoding of an int64 and is exact as a number. */
  ints: 1,
  /** Every value has eight bytes. The bounds are those of the bytes read as floats. */
  floats: 2,
  /** The block has no value. */
  empty: 3,
} as const;

/** The contents of a column in the rows of a block, as bits. */
const zoneContents = {
  null: 1,
  value: 2,
  /** The values have bounds as texts. */
  texts: 4,
} as const;

const anyContent = zoneContents.null | zoneContents.value;

export interface Zone {
  readonly column: number;
  readonly kind: number;
  readonly min: number;
  readonly max: number;
  readonly hasNull: boolean;
  /** The ends of values that may be texts. */
  readonly texts?: TextEnds | undefined;
}

const lengthBytes = 4;
const nothing = { kind: zoneKinds.none, min: 0, max: 0, texts: undefined };

/** The facts on a block, or on all blocks of a partition. */
export interface BlockFacts {
  readonly zones: readonly Zone[];
  /** Each key has one version, and none is a tombstone. */
  readonly isPlain: boolean;
}

/** Appends the facts on each block. */
export function appendZones(blocks: readonly BlockFacts[], out: ByteWriter): void {
  const columns = columnsOf(blocks.map(({ zones }) => zones));
  const section = new ByteWriter(1024);
  appendNumbers(columns, section);
  appendContents(columns, section);
  appendPlainBlocks(
    blocks.map(({ isPlain }) => isPlain),
    section,
  );
  out.append(section.peek());
  out.u32(section.length);
}

/** Returns the combined zones of all blocks, without the columns for which a block has no zone. */
export function zonesOfAll(blocks: readonly (readonly Zone[])[]): readonly Zone[] {
  return columnsOf(blocks).flatMap(({ zones }) => {
    const [first, ...others] = zones;
    if (first === undefined || others.includes(undefined)) return [];
    return [(others as Zone[]).reduce(zoneOfBoth, first)];
  });
}

interface ColumnZones {
  readonly column: number;
  /** The zones by block; `undefined` if a block has no zone of the column. */
  readonly zones: readonly (Zone | undefined)[];
}

function columnsOf(blocks: readonly (readonly Zone[])[]): readonly ColumnZones[] {
  const columns = new Map<number, (Zone | undefined)[]>();
  for (const [block, zones] of blocks.entries()) {
    for (const zone of zones) {
      let found = columns.get(zone.column);
      if (found === undefined) {
        found = blocks.map(() => undefined);
        columns.set(zone.column, found);
      }
      found[block] = zone;
    }
  }
  return [...columns].map(([column, zones]) => ({ column, zones }));
}

function zoneOfBoth(left: Zone, right: Zone): Zone {
  const hasNull = left.hasNull || right.hasNull;
  if (left.kind === zoneKinds.empty) return { ...right, hasNull };
  if (right.kind === zoneKinds.empty) return { ...left, hasNull };
  const { column } = left;
  const texts = left.texts && right.texts && textEndsOf(left.texts, right.texts);
  if (left.kind !== right.kind) return { ...nothing, column, hasNull, texts };
  const [min, max] = [Math.min(left.min, right.min), Math.max(left.max, right.max)];
  return { column, kind: left.kind, min, max, hasNull, texts };
}

function appendNumbers(all: readonly ColumnZones[], out: ByteWriter): void {
  const columns = all.filter(({ zones }) => zones.some(isOfNumbers));
  out.u16(columns.length);
  for (const { column } of columns) out.u32(column);
  const blocks = columns[0]?.zones.length ?? 0;
  const eachCell = (append: (zone: Zone | typeof nothing) => void) => {
    for (let block = 0; block < blocks; block++) {
      for (const { zones } of columns) append(zones[block] ?? nothing);
    }
  };
  eachCell(({ kind }) => out.u8(kind));
  eachCell(({ min, max }) => {
    out.f64(min);
    out.f64(max);
  });
}

function isOfNumbers(zone: Zone | undefined): boolean {
  return zone?.kind === zoneKinds.ints || zone?.kind === zoneKinds.floats;
}

function appendContents(columns: readonly ColumnZones[], out: ByteWriter): void {
  out.u16(columns.length);
  for (const { column } of columns) out.u32(column);
  const blocks = columns[0]?.zones.length ?? 0;
  for (let block = 0; block < blocks; block++) {
    for (const { zones } of columns) out.u8(contentsOf(zones[block]));
  }
  const texts = [...columns.keys()].filter((at) => columns[at]?.zones.some((zone) => zone?.texts));
  out.u16(texts.length);
  for (const at of texts) out.u16(at);
  for (const at of texts) {
    const { zones } = columns[at] as ColumnZones;
    appendTextZone(
      zones.map((zone) => zone?.texts),
      out,
    );
  }
}

function contentsOf(zone: Zone | undefined): number {
  if (zone === undefined) return anyContent;
  return (
    (zone.hasNull ? zoneContents.null : 0) |
    (zone.kind === zoneKinds.empty ? 0 : zoneContents.value) |
    (zone.texts === undefined ? 0 : zoneContents.texts)
  );
}

/** The zones of blocks, read in place. */
export class ZoneMap {
  /** Length of all zones in bytes, including the length field. */
  readonly bytes: number;
  private readonly view: DataView;
  private readonly columns: number;
  private readonly kindsAt: number;
  private readonly boundsAt: number;
  private readonly contents: Contents | undefined;
  private readonly plain: PlainBlocks | undefined;

  /** Opens the zones at the end of `section`. */
  constructor(section: Uint8Array, blocks: number) {
    const { buffer, byteOffset, byteLength } = section;
    const lengthAt = byteLength - lengthBytes;
    const length = new DataView(buffer, byteOffset, byteLength).getUint32(lengthAt, true);
    this.bytes = length + lengthBytes;
    this.view = new DataView(buffer, byteOffset + lengthAt - length, length);
    this.columns = this.view.getUint16(0, true);
    this.kindsAt = 2 + 4 * this.columns;
    this.boundsAt = this.kindsAt + blocks * this.columns;
    const numbersTo = this.boundsAt + 16 * blocks * this.columns;
    if (numbersTo === length) return;
    const rest = new ByteReader(section, lengthAt - length + numbersTo, lengthAt);
    this.contents = new Contents(rest, blocks);
    this.plain = PlainBlocks.open(rest);
  }

  /** Returns true if the block is known to be plain. */
  isPlain(block: number): boolean {
    return this.plain?.has(block) ?? false;
  }

  /** Returns true if one of the bounds excludes all values of the block. */
  excludes(block: number, bounds: readonly ZoneBound[]): boolean {
    for (let i = 0; i < bounds.length; i++) {
      if (this.isOutside(block, bounds[i] as ZoneBound)) return true;
    }
    return false;
  }

  private isOutside(block: number, bound: ZoneBound): boolean {
    if (bound.kind !== 'number') return this.contents?.isOutside(block, bound) ?? false;
    if (this.contents?.isOutside(block, bound) === true) return true;
    return this.isNumberOutside(block, bound);
  }

  private isNumberOutside(block: number, bound: NumberBound): boolean {
    const { view, columns } = this;
    for (let c = 0; c < columns; c++) {
      if (view.getUint32(2 + 4 * c, true) !== bound.column) continue;
      const cell = block * columns + c;
      const kind = view.getUint8(this.kindsAt + cell);
      // NULL matches a bound without ends.
      if (kind === zoneKinds.empty) return bound.min > -Infinity || bound.max < Infinity;
      if (kind !== (bound.isFloat ? zoneKinds.floats : zoneKinds.ints)) return false;
      const at = this.boundsAt + 16 * cell;
      return view.getFloat64(at + 8, true) < bound.min || view.getFloat64(at, true) > bound.max;
    }
    return false;
  }
}

/** The second line of the format. */
class Contents {
  private readonly bytes: Uint8Array;
  private readonly columns: readonly number[];
  private readonly contentsAt: number;
  /** The texts, by position of the column. */
  private readonly texts: (TextZone | undefined)[];

  /** Opens the contents at the position of `reader`, and moves `reader` past them. */
  constructor(reader: ByteReader, blocks: number) {
    this.bytes = reader.bytes;
    this.columns = Array.from({ length: reader.u16() }, () => reader.u32());
    this.contentsAt = reader.skip(blocks * this.columns.length);
    this.texts = this.columns.map(() => undefined);
    const texts = Array.from({ length: reader.u16() }, () => reader.u16());
    for (const position of texts) this.texts[position] = new TextZone(reader, blocks);
  }

  isOutside(block: number, bound: ZoneBound): boolean {
    const position = this.columns.indexOf(bound.column);
    if (position < 0) return false;
    const content = this.bytes[this.contentsAt + block * this.columns.length + position] as number;
    const hasValue = (content & zoneContents.value) !== 0;
    switch (bound.kind) {
      case 'null':
        return (content & zoneContents.null) === 0;
      case 'value':
        return !hasValue;
      case 'number':
        return !hasValue && (bound.min > -Infinity || bound.max < Infinity);
      case 'text': {
        const { least, greatest } = bound;
        if (least === undefined && greatest === undefined) return false;
        if (!hasValue) return true;
        if ((content & zoneContents.texts) === 0) return false;
        return (this.texts[position] as TextZone).isOutside(block, least, greatest);
      }
    }
  }
}
