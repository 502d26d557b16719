/**
 * The values of a block in columnar layout. Joins row bodies for callers that need rows, and exposes the columns to callers that need
 * those.
 */

import { ByteWriter } from '#base';
import type { BlockValues, ValueTarget } from '../contract/stored-block.ts';
import { directory, hasBit, header, readU32 } from '../table/block-format.ts';
import { BlockColumn } from './block-column.ts';
import { widthOf } from './body-rows.ts';
import { asciiFlag, type BodyShape, shapeOf } from './body-shape.ts';
import { columnEncodings } from './column-format.ts';

/** Shared buffers, which are safe because joining never waits, so they contain one body at a time. */
const cells = new ByteWriter(4096);
let ends = new Uint32Array(64);
const present: BlockColumn[] = [];

interface AllColumns {
  readonly columns: readonly BlockColumn[];
  /** The bodies themselves: which slots have one, and which are ASCII. */
  readonly rows: BlockColumn;
  /** True if some slot lacks a column. */
  readonly isMixed: boolean;
  /** The shape of a body with all columns; `undefined` until one was needed. */
  shape?: BodyShape;
}

export class ColumnValues implements BlockValues {
  private readonly bytes: Uint8Array;
  /** The columns by position; `undefined` until the column is needed. */
  private readonly opened: (BlockColumn | undefined)[];
  /** All columns, once a whole row or the memory of all of them was needed. */
  private all: AllColumns | undefined;

  constructor(bytes: Uint8Array, entries: number) {
    this.bytes = bytes;
    this.opened = [];
    for (let i = 1; i < entries; i++) this.opened.push(undefined);
  }

  get heldBytes(): number {
    return this.allColumns().columns.reduce((sum, column) => sum + column.heldBytes, 0);
  }

  column(id: number, near = 0): BlockColumn | undefined {
    const { opened } = this;
    const first = opened[near];
    if (first !== undefined && first.id === id) return first;
    for (let i = 0; i < opened.length; i++) {
      if (readU32(this.bytes, entryAt(i) + directory.column) === id) return this.open(i);
    }
    return undefined;
  }

  join(slot: number, target: ValueTarget): void {
    const all = this.allColumns();
    const body = all.rows.isAbsent(slot) ? nothing : this.bodyOf(slot, all);
    target.value = body;
    target.valueFrom = 0;
    target.valueTo = body.length;
  }

  private open(position: number): BlockColumn {
    const known = this.opened[position];
    if (known !== undefined) return known;
    const column = new BlockColumn(this.bytes, entryAt(position), position);
    this.opened[position] = column;
    return column;
  }

  private allColumns(): AllColumns {
    if (this.all !== undefined) return this.all;
    const columns = this.opened.map((_, position) => this.open(position));
    const isMixed = columns.some(({ absentAt }) => absentAt !== 0);
    this.all = { columns, rows: new BlockColumn(this.bytes, entryAt(-1), -1), isMixed };
    return this.all;
  }

  private bodyOf(slot: number, all: AllColumns): Uint8Array {
    const columns = columnsOf(slot, all);
    const { header: head, count } = shapeFor(columns, all);
    if (ends.length < count) ends = new Uint32Array(2 * count);
    cells.clear();
    for (let i = 0; i < count; i++) {
      const column = columns[i] as BlockColumn;
      if (!column.isNull(slot)) column.appendCell(slot, cells);
      ends[i] = cells.length;
    }
    const width = widthOf(cells.length);
    const nullsAt = head.length;
    const endsAt = nullsAt + ((count + 7) >> 3);
    const cellsAt = endsAt + count * width;
    const body = new Uint8Array(cellsAt + cells.length);
    for (let i = 0; i < nullsAt; i++) body[i] = head[i] as number;
    body[0] = (head[0] as number) | (width >> 1) | (this.isAscii(slot, all.rows) ? asciiFlag : 0);
    for (let i = 0; i < count; i++) {
      if (!(columns[i] as BlockColumn).isNull(slot)) continue;
      const at = nullsAt + (i >> 3);
      body[at] = (body[at] as number) | (1 << (i & 7));
    }
    for (let i = 0, at = endsAt; i < count; i++, at += width) writeEnd(body, at, width, i);
    if (cells.length > 96) body.set(cells.bytes.subarray(0, cells.length), cellsAt);
    else for (let i = 0; i < cells.length; i++) body[cellsAt + i] = cells.bytes[i] as number;
    return body;
  }

  private isAscii(slot: number, rows: BlockColumn): boolean {
    if (rows.encoding === columnEncodings.constant) return rows.auxiliaryAt === 1;
    return hasBit(this.bytes, rows.dataAt, slot);
  }
}

/** Returns the offset of the directory entry of a column; position -1 is that of the bodies themselves. */
function entryAt(position: number): number {
  return header.bytes + (position + 1) * directory.bytes;
}

function columnsOf(slot: number, { columns, isMixed }: AllColumns): readonly BlockColumn[] {
  if (!isMixed) return columns;
  present.length = 0;
  for (const column of columns) if (!column.isAbsent(slot)) present.push(column);
  return present;
}

function shapeFor(columns: readonly BlockColumn[], all: AllColumns): BodyShape {
  if (columns.length !== all.columns.length) return shapeOf(columns.map(({ id }) => id));
  all.shape ??= shapeOf(columns.map(({ id }) => id));
  return all.shape;
}

const nothing = new Uint8Array(0);

function writeEnd(body: Uint8Array, at: number, width: number, i: number): void {
  const end = ends[i] as number;
  body[at] = end;
  if (width === 1) return;
  body[at + 1] = end >> 8;
  if (width === 2) return;
  body[at + 2] = end >> 16;
  body[at + 3] = end >> 24;
}
