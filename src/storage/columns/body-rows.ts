/** Splits row bodies into columns. Only splits bodies that a writer produces, so that joining them again gives the same bytes. */

import type { ValueRows } from '../table/value-codec.ts';
import { asciiFlag, type BodyShape, endWidthMask, hasShape, shapeIn } from './body-shape.ts';
import { readInt32 } from './int-cell.ts';

/** State of a cell. */
export const cellStates = { value: 0, null: 1, absent: 2 } as const;

/** The cells of one column; reused for the next column. */
export class ColumnCells {
  /** The bytes that contain the cells: slot i has `bytes[from[i], to[i])`. */
  bytes: Uint8Array = new Uint8Array(0);
  from = new Int32Array(1024);
  to = new Int32Array(1024);
  states = new Uint8Array(1024);
  count = 0;
  nulls = 0;
  absent = 0;
}

export class BodyRows {
  /** All column ids of the bodies, ascending. */
  ids: readonly number[] = [];
  /** Marks of slots whose body is ASCII: 1, otherwise 0. */
  isAscii = new Uint8Array(1024);
  asciiRows = 0;
  /** Marks of slots without a body: 1, otherwise 0. */
  isEmpty = new Uint8Array(1024);
  emptyRows = 0;
  private readonly cells = new ColumnCells();
  private readonly shapes: BodyShape[] = [];
  /** For each slot: its shape, and the position in the shape of the next column to read. */
  private shapeOf = new Uint16Array(1024);
  private next = new Uint16Array(1024);
  /** For each slot: offsets of null bits, ends and cells, size of an end in bytes, and the end of the last cell that was read. */
  private nullsAt = new Int32Array(1024);
  private endsAt = new Int32Array(1024);
  private cellsAt = new Int32Array(1024);
  private widths = new Uint8Array(1024);
  private lastEnd = new Int32Array(1024);

  /** Opens the bodies. Returns false if joining the columns of a body would not give the same bytes. */
  open({ bytes, ends, count }: ValueRows): boolean {
    this.makeRoom(count);
    this.shapes.length = 0;
    this.asciiRows = 0;
    this.emptyRows = 0;
    this.cells.bytes = bytes;
    this.cells.count = count;
    let from = 0;
    for (let slot = 0; slot < count; slot++) {
      const to = ends[slot] as number;
      this.isEmpty[slot] = from === to ? 1 : 0;
      this.isAscii[slot] = 0;
      if (from === to) this.emptyRows++;
      else if (!this.openBody(bytes, from, to, slot)) return false;
      from = to;
    }
    const ids = new Set(this.shapes.flatMap((shape) => shape.ids));
    this.ids = [...ids].sort((left, right) => left - right);
    return true;
  }

  /** Returns the cells of column `id`. Columns must be requested in the order of `ids`. */
  column(id: number): ColumnCells {
    const { cells, shapes } = this;
    const { bytes, from, to, states, count } = cells;
    cells.nulls = 0;
    cells.absent = 0;
    for (let slot = 0; slot < count; slot++) {
      const position = this.next[slot] as number;
      const isThere =
        this.isEmpty[slot] === 0 &&
        (shapes[this.shapeOf[slot] as number] as BodyShape).ids[position] === id;
      if (!isThere) {
        from[slot] = 0;
        to[slot] = 0;
        states[slot] = cellStates.absent;
        cells.absent++;
        continue;
      }
      this.next[slot] = position + 1;
      const end = this.end(bytes, slot, position);
      from[slot] = this.lastEnd[slot] as number;
      to[slot] = end;
      this.lastEnd[slot] = end;
      const nulls = bytes[(this.nullsAt[slot] as number) + (position >> 3)] as number;
      const isNull = (nulls >> (position & 7)) & 1;
      states[slot] = isNull;
      cells.nulls += isNull;
    }
    return cells;
  }

  private openBody(bytes: Uint8Array, from: number, to: number, slot: number): boolean {
    let which = this.shapes.findIndex((shape) => hasShape(shape, bytes, from));
    if (which < 0) {
      const shape = shapeIn(bytes, from, to);
      if (shape === undefined) return false;
      which = this.shapes.push(shape) - 1;
    }
    const { header, count } = this.shapes[which] as BodyShape;
    const flags = bytes[from] as number;
    const width = 1 << (flags & endWidthMask);
    const nullsAt = from + header.length;
    const endsAt = nullsAt + ((count + 7) >> 3);
    const cellsAt = endsAt + count * width;
    if (width > 4 || cellsAt > to || width !== widthOf(to - cellsAt)) return false;
    this.shapeOf[slot] = which;
    this.next[slot] = 0;
    this.nullsAt[slot] = nullsAt;
    this.endsAt[slot] = endsAt;
    this.cellsAt[slot] = cellsAt;
    this.widths[slot] = width;
    this.lastEnd[slot] = cellsAt;
    if ((flags & asciiFlag) !== 0) {
      this.isAscii[slot] = 1;
      this.asciiRows++;
    }
    return this.isWhole(bytes, to, slot, count);
  }

  /** Returns whether ends ascend up to the end of the body, NULL cells are empty, and no bit is set beyond the columns. */
  private isWhole(bytes: Uint8Array, to: number, slot: number, count: number): boolean {
    const nullsAt = this.nullsAt[slot] as number;
    let last = this.cellsAt[slot] as number;
    for (let position = 0; position < count; position++) {
      const end = this.end(bytes, slot, position);
      if (end < last || end > to) return false;
      const isNull = ((bytes[nullsAt + (position >> 3)] as number) >> (position & 7)) & 1;
      if (isNull === 1 && end !== last) return false;
      last = end;
    }
    const rest = (count & 7) === 0 ? 0 : (bytes[nullsAt + (count >> 3)] as number) >> (count & 7);
    return last === to && rest === 0;
  }

  private end(bytes: Uint8Array, slot: number, position: number): number {
    const width = this.widths[slot] as number;
    const at = (this.endsAt[slot] as number) + position * width;
    const cellsAt = this.cellsAt[slot] as number;
    if (width === 1) return cellsAt + (bytes[at] as number);
    if (width === 2) return cellsAt + ((bytes[at] as number) | ((bytes[at + 1] as number) << 8));
    return cellsAt + (readInt32(bytes, at) >>> 0);
  }

  private makeRoom(count: number): void {
    if (this.isAscii.length >= count) return;
    const { cells } = this;
    cells.from = new Int32Array(count);
    cells.to = new Int32Array(count);
    cells.states = new Uint8Array(count);
    this.isAscii = new Uint8Array(count);
    this.isEmpty = new Uint8Array(count);
    this.shapeOf = new Uint16Array(count);
    this.next = new Uint16Array(count);
    this.nullsAt = new Int32Array(count);
    this.endsAt = new Int32Array(count);
    this.cellsAt = new Int32Array(count);
    this.widths = new Uint8Array(count);
    this.lastEnd = new Int32Array(count);
  }
}

/** Returns the size in bytes of an end offset in a body with this many bytes of cells. */
export function widthOf(cellBytes: number): number {
  return cellBytes < 0x100 ? 1 : cellBytes < 0x1_0000 ? 2 : 4;
}
