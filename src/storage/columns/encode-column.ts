/**
 * Writes the cells of one column into a block, in the encoding that suits their bytes. Types are unknown here: cells whose bytes are those
 * of integers are stored as integers whatever their catalog type is. Every encoding restores the exact bytes of each cell.
 */

import { compareRanges, equalRanges } from '#base';
import type { BlockWriter } from '../table/block-writer.ts';
import { type TextEnds, textZoneBytes } from '../table/text-zones.ts';
import { type Zone, zoneKinds } from '../table/zones.ts';
import { type ColumnCells, cellStates } from './body-rows.ts';
import { asciiColumn, columnEncodings } from './column-format.ts';
import { Dictionary } from './dictionary.ts';
import { beyondNumbers, intOfCell, readInt32 } from './int-cell.ts';

/** Properties of all cells of a column. */
interface Traits {
  readonly values: number;
  /** Slot of the first value. */
  readonly first: number;
  readonly areEqual: boolean;
  /** True if all cells are encoded integers. `min` and `max` are their bounds, NaN if one exceeds the safe integers. */
  readonly areInts: boolean;
  readonly min: number;
  readonly max: number;
  /** Length of every cell in bytes; -1 if the lengths differ. */
  readonly length: number;
  readonly areAscii: boolean;
  /** True if no byte is below a space, which suggests characters rather than numbers. */
  readonly arePrintable: boolean;
}

interface Place {
  readonly encoding: number;
  readonly dataAt: number;
  readonly auxiliaryAt?: number;
  readonly base?: number;
}

const narrowMax = 0xffff;

export class ColumnEncoder {
  private readonly dictionary = new Dictionary();
  private ends = new Uint32Array(1024);

  /**
   * Writes the sections and directory entry `index` of a column. Also adds a zone unless rows lack the column. `emptyRows` is the number of
   * slots without a row.
   */
  write(
    id: number,
    cells: ColumnCells,
    index: number,
    writer: BlockWriter,
    emptyRows: number,
  ): void {
    const traits = traitsOf(cells);
    const nullsAt = cells.nulls === 0 ? 0 : writeStates(cells, cellStates.null, writer);
    const absentAt = cells.absent === 0 ? 0 : writeStates(cells, cellStates.absent, writer);
    const place = this.writeData(cells, traits, writer);
    if (cells.absent === emptyRows) {
      const texts = mayBeTexts(traits, place) ? this.textEnds(cells, traits, place) : undefined;
      writer.zones.push({ ...zoneOf(id, cells, traits), hasNull: cells.nulls > 0, texts });
    }
    const flags = traits.areAscii ? asciiColumn : 0;
    writer.entry(index, { column: id, flags, nullsAt, absentAt, ...place });
  }

  private writeData(cells: ColumnCells, traits: Traits, writer: BlockWriter): Place {
    const { bytes, from, to } = cells;
    const { first, length } = traits;
    if (traits.areEqual) {
      const start = traits.values === 0 ? 0 : (from[first] as number);
      const end = traits.values === 0 ? 0 : (to[first] as number);
      const dataAt = writer.section(bytes, start, end);
      return { encoding: columnEncodings.constant, dataAt, auxiliaryAt: end - start };
    }
    if (length === 1 && areBits(cells)) return writeBits(cells, writer);
    const areCharacters = !traits.areInts || (length > 0 && traits.arePrintable);
    if (areCharacters && (length !== 8 || traits.arePrintable) && this.dictionary.fill(cells)) {
      return this.writeDictionary(cells, writer);
    }
    // False for integers beyond the safe integers, whose bounds are NaN: most such cells are floats.
    const isNear = traits.max - traits.min <= 0xffff_ffff;
    if (traits.areInts && isNear) return writeOffsets(cells, traits, writer);
    if (length === 8) return writeEight(cells, writer);
    if (traits.areInts) return writeLongs(cells, writer);
    return this.writeEnds(cells, writer);
  }

  private textEnds(cells: ColumnCells, { first }: Traits, { encoding }: Place): TextEnds {
    const { bytes, from, to, states, count } = cells;
    const ends = { least: first, greatest: first };
    if (encoding === columnEncodings.dictionary) {
      for (const slot of this.dictionary.firsts) widen(ends, slot, cells);
    } else if (encoding !== columnEncodings.constant) {
      for (let slot = first + 1; slot < count; slot++) {
        if (states[slot] === cellStates.value) widen(ends, slot, cells);
      }
    }
    const cut = (slot: number) => bytes.slice(from[slot] as number, startTo(slot, from, to));
    return { least: cut(ends.least), greatest: cut(ends.greatest) };
  }

  private writeDictionary({ bytes, from, to, count }: ColumnCells, writer: BlockWriter): Place {
    const { codes, firsts } = this.dictionary;
    const dataAt = writer.section(codes, 0, count);
    const auxiliaryAt = writer.align();
    const { out } = writer;
    out.u32(firsts.length);
    let end = 0;
    for (const slot of firsts) {
      end += (to[slot] as number) - (from[slot] as number);
      out.u32(end);
    }
    for (const slot of firsts) out.append(bytes, from[slot], to[slot]);
    return { encoding: columnEncodings.dictionary, dataAt, auxiliaryAt };
  }

  private writeEnds({ bytes, from, to, count }: ColumnCells, writer: BlockWriter): Place {
    if (this.ends.length < count) this.ends = new Uint32Array(count);
    const { ends } = this;
    let total = 0;
    for (let slot = 0; slot < count; slot++) {
      total += (to[slot] as number) - (from[slot] as number);
      ends[slot] = total;
    }
    const isWide = total > narrowMax;
    const auxiliaryAt = writer.ends(ends, count, isWide);
    const dataAt = writer.align();
    for (let slot = 0; slot < count; slot++) writer.out.append(bytes, from[slot], to[slot]);
    const encoding = isWide ? columnEncodings.wideEnds : columnEncodings.narrowEnds;
    return { encoding, dataAt, auxiliaryAt };
  }
}

/** Returns whether the cells might be texts. Cells of numbers or booleans are not, unless all their bytes are characters. */
function mayBeTexts({ values, areInts, length, arePrintable }: Traits, place: Place): boolean {
  if (values === 0 || place.encoding === columnEncodings.bits) return false;
  return arePrintable || !(areInts || length === 8);
}

function traitsOf({ bytes, from, to, states, count }: ColumnCells): Traits {
  let values = 0;
  let first = 0;
  let areEqual = true;
  let areInts = true;
  let min = Infinity;
  let max = -Infinity;
  let length = 0;
  let bits = 0;
  let isControl = 0;
  for (let slot = 0; slot < count; slot++) {
    if (states[slot] !== cellStates.value) continue;
    const start = from[slot] as number;
    const end = to[slot] as number;
    if (values++ === 0) {
      first = slot;
      length = end - start;
    } else {
      if (end - start !== length) length = -1;
      areEqual &&= equalRanges(bytes, from[first] as number, to[first] as number, start, end);
    }
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      bits |= byte;
      isControl |= byte - 0x20;
    }
    if (!areInts) continue;
    const value = intOfCell(bytes, start, end);
    if (Number.isNaN(value)) areInts = false;
    else if (value === beyondNumbers) min = max = Number.NaN;
    else {
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }
  const areAscii = bits < 0x80;
  const arePrintable = areAscii && isControl >= 0;
  return { values, first, areEqual, areInts, min, max, length, areAscii, arePrintable };
}

/** Extends the bounds by the text of `slot`. Ascending texts need only one comparison each. */
function widen(
  ends: { least: number; greatest: number },
  slot: number,
  { bytes, from, to }: ColumnCells,
): void {
  const start = from[slot] as number;
  const end = startTo(slot, from, to);
  const { least, greatest } = ends;
  const ofGreatest = from[greatest] as number;
  if (compareRanges(bytes, start, end, bytes, ofGreatest, startTo(greatest, from, to)) > 0) {
    ends.greatest = slot;
    return;
  }
  const ofLeast = from[least] as number;
  if (compareRanges(bytes, start, end, bytes, ofLeast, startTo(least, from, to)) < 0) {
    ends.least = slot;
  }
}

/** Returns the end of the prefix of a text that zones store. */
function startTo(slot: number, from: Int32Array, to: Int32Array): number {
  return Math.min(to[slot] as number, (from[slot] as number) + textZoneBytes);
}

function areBits({ bytes, from, states, count }: ColumnCells): boolean {
  for (let slot = 0; slot < count; slot++) {
    if (states[slot] === cellStates.value && (bytes[from[slot] as number] as number) > 1) {
      return false;
    }
  }
  return true;
}

function writeBits({ bytes, from, states, count }: ColumnCells, writer: BlockWriter): Place {
  const isSet = (slot: number) =>
    states[slot] === cellStates.value && bytes[from[slot] as number] === 1;
  return { encoding: columnEncodings.bits, dataAt: writeBitmap(count, isSet, writer) };
}

function writeStates(cells: ColumnCells, state: number, writer: BlockWriter): number {
  return writeBitmap(cells.count, (slot) => cells.states[slot] === state, writer);
}

/** Writes a section with one bit per slot and returns its offset. */
export function writeBitmap(
  count: number,
  isSet: (slot: number) => boolean,
  writer: BlockWriter,
): number {
  const at = writer.align();
  const length = (count + 7) >>> 3;
  writer.out.reserve(length);
  const { bytes } = writer.out;
  bytes.fill(0, at, at + length);
  for (let slot = 0; slot < count; slot++) {
    if (!isSet(slot)) continue;
    const byte = at + (slot >>> 3);
    bytes[byte] = (bytes[byte] as number) | (1 << (slot & 7));
  }
  return at;
}

function writeOffsets(cells: ColumnCells, { min, max }: Traits, writer: BlockWriter): Place {
  const { bytes, from, to, states, count } = cells;
  const range = max - min;
  const size = range <= 0xff ? 1 : range <= 0xffff ? 2 : 4;
  const dataAt = writer.align();
  writer.out.reserve(count * size);
  const { view } = writer.out;
  for (let slot = 0; slot < count; slot++) {
    const isValue = states[slot] === cellStates.value;
    const offset = isValue ? intOfCell(bytes, from[slot] as number, to[slot] as number) - min : 0;
    if (size === 1) view.setUint8(dataAt + slot, offset);
    else if (size === 2) view.setUint16(dataAt + 2 * slot, offset, true);
    else view.setUint32(dataAt + 4 * slot, offset, true);
  }
  const { offset8, offset16, offset32 } = columnEncodings;
  return { encoding: size === 1 ? offset8 : size === 2 ? offset16 : offset32, dataAt, base: min };
}

function writeLongs({ bytes, from, to, states, count }: ColumnCells, writer: BlockWriter): Place {
  const dataAt = writer.align();
  writer.out.reserve(8 * count);
  const { view } = writer.out;
  for (let slot = 0; slot < count; slot++) {
    const start = from[slot] as number;
    const end = to[slot] as number;
    const isValue = states[slot] === cellStates.value;
    const isLong = isValue && end - start === 8;
    const short = isValue && !isLong ? intOfCell(bytes, start, end) : 0;
    view.setInt32(dataAt + 8 * slot, isLong ? readInt32(bytes, start) : short, true);
    view.setInt32(dataAt + 8 * slot + 4, isLong ? readInt32(bytes, start + 4) : short >> 31, true);
  }
  return { encoding: columnEncodings.int64, dataAt };
}

function writeEight({ bytes, from, states, count }: ColumnCells, writer: BlockWriter): Place {
  const dataAt = writer.align();
  writer.out.reserve(8 * count);
  const out = writer.out.bytes;
  for (let slot = 0; slot < count; slot++) {
    const at = dataAt + 8 * slot;
    const start = from[slot] as number;
    if (states[slot] !== cellStates.value) out.fill(0, at, at + 8);
    else for (let i = 0; i < 8; i++) out[at + i] = bytes[start + i] as number;
  }
  return { encoding: columnEncodings.eight, dataAt };
}

function zoneOf(
  column: number,
  cells: ColumnCells,
  { values, length, ...traits }: Traits,
): Pick<Zone, 'column' | 'kind' | 'min' | 'max'> {
  const { areInts, min, max } = traits;
  if (values === 0) return { column, kind: zoneKinds.empty, min: 0, max: 0 };
  if (areInts && !Number.isNaN(max)) return { column, kind: zoneKinds.ints, min, max };
  if (length !== 8) return { column, kind: zoneKinds.none, min: 0, max: 0 };
  return { column, kind: zoneKinds.floats, ...floatBounds(cells) };
}

const floats = new DataView(new ArrayBuffer(8));

function floatBounds({ bytes, from, states, count }: ColumnCells): Pick<Zone, 'min' | 'max'> {
  let min = Infinity;
  let max = -Infinity;
  for (let slot = 0; slot < count; slot++) {
    if (states[slot] !== cellStates.value) continue;
    const start = from[slot] as number;
    for (let i = 0; i < 8; i++) floats.setUint8(i, bytes[start + i] as number);
    const value = floats.getFloat64(0, true);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}
