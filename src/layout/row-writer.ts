/** Encodes rows as row bodies. */

import type { ByteWriter } from '#base';
import type { Column, Table } from '#catalog';
import { writeProtocol } from '#catalog';
import { asciiFlag, shapeOf } from '#storage';
import type { Row, Scalar, ScalarType } from '#value';
import { appendCell } from './cell-code.ts';

/** Returns whether the body contains the column. Key columns are in the key only, except float64, because keys turn -0 into +0. */
export function isStoredInBody(table: Table, column: Column): boolean {
  return column.type === 'float64' || !table.primaryKey.includes(column.id);
}

/** Bodies with at least this many bytes of cells have ends of two bytes, or of four. */
const narrowMax = 0x100;
const wideMax = 0x1_0000;

/** Returns a function that appends the body of a row in catalog order. The cells of replacement columns follow the others in the row. */
export function bodyWriterOf(table: Table): (writer: ByteWriter, row: Row) => void {
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
  const nullsFrom = header.length;
  const endsFrom = nullsFrom + nulls.length;
  return (writer, row) => {
    // Reserve space for ends of one byte, which nearly all bodies have.
    const from = writer.reserve(endsFrom + count);
    const isAscii = writeCells(writer, row, { types, ordinals, ends, nulls });
    const cellBytes = count === 0 ? 0 : (ends[count - 1] as number);
    const width = cellBytes < narrowMax ? 1 : cellBytes < wideMax ? 2 : 4;
    if (width > 1) widen(writer, from + endsFrom, { count, width });
    const { bytes } = writer;
    for (let i = 0; i < nullsFrom; i++) bytes[from + i] = header[i] as number;
    bytes[from] = (header[0] as number) | (width >> 1) | (isAscii ? asciiFlag : 0);
    for (let i = 0; i < nulls.length; i++) bytes[from + nullsFrom + i] = nulls[i] as number;
    writeEnds(bytes, from + endsFrom, width, ends);
  };
}

interface RowScratch {
  readonly types: readonly ScalarType[];
  readonly ordinals: readonly number[];
  readonly ends: Uint32Array;
  readonly nulls: Uint8Array;
}

/** Appends the cells and fills `ends` and `nulls`. Returns true if all texts are ASCII. */
function writeCells(
  writer: ByteWriter,
  row: Row,
  { types, ordinals, ends, nulls }: RowScratch,
): boolean {
  const start = writer.length;
  let isAscii = true;
  nulls.fill(0);
  for (let i = 0; i < ordinals.length; i++) {
    const value = row[ordinals[i] as number] as Scalar;
    const from = writer.length;
    if (value === null) {
      nulls[i >> 3] = (nulls[i >> 3] as number) | (1 << (i & 7));
    } else {
      appendCell(writer, types[i] as ScalarType, value);
      if (typeof value === 'string' && writer.length - from !== value.length) isAscii = false;
    }
    ends[i] = writer.length - start;
  }
  return isAscii;
}

/** Makes space for ends of `width` bytes where space for ends of one byte was reserved. */
function widen(
  writer: ByteWriter,
  at: number,
  { count, width }: { readonly count: number; readonly width: number },
): void {
  const end = writer.reserve(count * (width - 1));
  writer.bytes.copyWithin(at + count * width, at + count, end);
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
