/** From rows to row bodies. */

import { ByteWriter } from '#base';
import type { Column, Table } from '#catalog';
import { writeProtocol } from '#catalog';
import { asciiFlag, shapeOf } from '#storage';
import type { Row, Scalar, ScalarType } from '#value';
import { appendCell } from './cell-code.ts';

/** Shared: encoding never waits, so no two rows are in it at once. */
const cells = new ByteWriter(4096);

/** Key columns stand in the key only, but for float64: keys fold -0 into +0. */
export function isStoredInBody(table: Table, column: Column): boolean {
  return column.type === 'float64' || !table.primaryKey.includes(column.id);
}

/** A function that makes the body of a row given in catalog order, the cells of columns in the making behind the others. */
export function bodyWriterOf(table: Table): (row: Row) => Uint8Array {
  const shadows = writeProtocol(table).shadows.map(({ target }) => target);
  const stored = [...table.columns, ...shadows]
    .map((column, ordinal) => ({ column, ordinal }))
    .filter(({ column }) => isStoredInBody(table, column))
    .sort((left, right) => left.column.physicalId - right.column.physicalId);
  const types = stored.map(({ column }) => column.type);
  const ordinals = stored.map(({ ordinal }) => ordinal);
  const { header, count } = shapeOf(stored.map(({ column }) => column.physicalId));
  const ends = new Uint32Array(count);
  const nulls = new Uint8Array((count + 7) >> 3);
  return (row) => {
    const isAscii = writeCells(row, { types, ordinals, ends, nulls });
    const width = cells.length < 0x100 ? 1 : cells.length < 0x1_0000 ? 2 : 4;
    const nullsFrom = header.length;
    const endsFrom = nullsFrom + nulls.length;
    const cellsFrom = endsFrom + count * width;
    const body = new Uint8Array(cellsFrom + cells.length);
    for (let i = 0; i < nullsFrom; i++) body[i] = header[i] as number;
    body[0] = (header[0] as number) | (width >> 1) | (isAscii ? asciiFlag : 0);
    for (let i = 0; i < nulls.length; i++) body[nullsFrom + i] = nulls[i] as number;
    writeEnds(body, endsFrom, width, ends);
    copyCells(body, cellsFrom);
    return body;
  };
}

interface RowScratch {
  readonly types: readonly ScalarType[];
  readonly ordinals: readonly number[];
  readonly ends: Uint32Array;
  readonly nulls: Uint8Array;
}

/** Fills `cells`, ends and nulls; true when no text needed more than ASCII. */
function writeCells(row: Row, { types, ordinals, ends, nulls }: RowScratch): boolean {
  let isAscii = true;
  cells.clear();
  nulls.fill(0);
  for (let i = 0; i < ordinals.length; i++) {
    const value = row[ordinals[i] as number] as Scalar;
    const from = cells.length;
    if (value === null) {
      nulls[i >> 3] = (nulls[i >> 3] as number) | (1 << (i & 7));
    } else {
      appendCell(cells, types[i] as ScalarType, value);
      if (typeof value === 'string' && cells.length - from !== value.length) isAscii = false;
    }
    ends[i] = cells.length;
  }
  return isAscii;
}

function writeEnds(body: Uint8Array, from: number, width: number, ends: Uint32Array): void {
  let at = from;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] as number;
    body[at++] = end;
    if (width === 1) continue;
    body[at++] = end >> 8;
    if (width === 2) continue;
    body[at++] = end >> 16;
    body[at++] = end >> 24;
  }
}

function copyCells(body: Uint8Array, at: number): void {
  const { bytes, length } = cells;
  if (length > 96) body.set(bytes.subarray(0, length), at);
  else for (let i = 0; i < length; i++) body[at + i] = bytes[i] as number;
}
