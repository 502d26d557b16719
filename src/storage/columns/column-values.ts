/**
 * The values of a block in columnar layout. Joins row bodies for callers that need rows, and exposes the columns to callers that need
 * those.
 */

import { ByteWriter } from '#base';
import type { BlockValues, ValueTarget } from '../contract/stored-block.ts';
import { directory, hasBit, header } from '../table/block-format.ts';
import { BlockColumn } from './block-column.ts';
import { widthOf } from './body-rows.ts';
import { asciiFlag, type BodyShape, shapeOf } from './body-shape.ts';
import { columnEncodings } from './column-format.ts';

/** Shared buffers, which are safe because joining never waits, so they contain one body at a time. */
const cells = new ByteWriter(4096);
let ends = new Uint32Array(64);
const present: BlockColumn[] = [];

export class ColumnValues implements BlockValues {
  private readonly columns: readonly BlockColumn[];
  readonly blockBytes: number;
  readonly heldBytes: number;
  private readonly bytes: Uint8Array;
  private readonly rows: BlockColumn;
  /** True if some slot lacks a column. */
  private readonly isMixed: boolean;
  private shape: BodyShape | undefined;

  constructor(bytes: Uint8Array, entries: number) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const columns: BlockColumn[] = [];
    for (let i = 1; i < entries; i++) {
      columns.push(new BlockColumn(bytes, view, header.bytes + i * directory.bytes, i - 1));
    }
    this.bytes = bytes;
    this.blockBytes = bytes.length;
    this.columns = columns;
    this.rows = new BlockColumn(bytes, view, header.bytes, -1);
    this.heldBytes = columns.reduce((sum, column) => sum + column.heldBytes, 0);
    this.isMixed = columns.some(({ absentAt }) => absentAt !== 0);
  }

  column(id: number, near = 0): BlockColumn | undefined {
    const { columns } = this;
    const first = columns[near];
    if (first !== undefined && first.id === id) return first;
    for (let i = 0; i < columns.length; i++) {
      if ((columns[i] as BlockColumn).id === id) return columns[i];
    }
    return undefined;
  }

  join(slot: number, target: ValueTarget): void {
    const body = this.rows.isAbsent(slot) ? nothing : this.bodyOf(slot);
    target.value = body;
    target.valueFrom = 0;
    target.valueTo = body.length;
  }

  private bodyOf(slot: number): Uint8Array {
    const columns = this.columnsOf(slot);
    const { header: head, count } = this.shapeFor(columns);
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
    body[0] = (head[0] as number) | (width >> 1) | (this.isAscii(slot) ? asciiFlag : 0);
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

  private columnsOf(slot: number): readonly BlockColumn[] {
    if (!this.isMixed) return this.columns;
    present.length = 0;
    for (const column of this.columns) if (!column.isAbsent(slot)) present.push(column);
    return present;
  }

  private shapeFor(columns: readonly BlockColumn[]): BodyShape {
    if (columns.length !== this.columns.length) return shapeOf(columns.map(({ id }) => id));
    this.shape ??= shapeOf(columns.map(({ id }) => id));
    return this.shape;
  }

  private isAscii(slot: number): boolean {
    const { rows, bytes } = this;
    if (rows.encoding === columnEncodings.constant) return rows.auxiliaryAt === 1;
    return hasBit(bytes, rows.dataAt, slot);
  }
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
