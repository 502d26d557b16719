/** Encodes single cells of row bodies: int64 in the fewest bytes, float64 in eight, text as UTF-8, bytes verbatim. */

import { appendUtf8, type ByteWriter, decodeUtf8 } from '#base';
import type { Column } from '#catalog';
import { appendInt64, readInt64 } from '#storage';
import { ByteString, type Scalar, type ScalarType } from '#value';

/** Appends a value other than NULL. */
export function appendCell(
  writer: ByteWriter,
  type: ScalarType,
  value: string | number | bigint | boolean | ByteString,
): void {
  if (type === 'int64') appendInt64(writer, value as number | bigint);
  else if (type === 'text') appendUtf8(writer, value as string);
  else if (type === 'float64') writer.f64(value as number);
  else if (type === 'bool') writer.u8(value === true ? 1 : 0);
  else writer.append((value as ByteString).bytes);
}

const floats = new Float64Array(1);
const floatBytes = new Uint8Array(floats.buffer);

/** Reads a float64 by copying its bytes. Cells are not aligned, and a view of each body would cost more than the copy. */
export function readFloat64(bytes: Uint8Array, from: number): number {
  for (let i = 0; i < 8; i++) floatBytes[i] = bytes[from + i] as number;
  return floats[0] as number;
}

interface Latin1Slice {
  call(bytes: Uint8Array, from: number, to: number): string;
}

const latin1Slice = (Buffer.prototype as unknown as { readonly latin1Slice: Latin1Slice })
  .latin1Slice;

/** Reads a text. `isAscii` must be true only if the text is known to be ASCII; reading it is then two to four times faster. */
export function readText(bytes: Uint8Array, from: number, to: number, isAscii: boolean): string {
  if (from === to) return '';
  return isAscii ? latin1Slice.call(bytes, from, to) : decodeUtf8(bytes, from, to);
}

/** Returns the value of a cell that is not NULL. */
export function cellValue(
  column: Column,
  bytes: Uint8Array,
  from: number,
  to: number,
  isAscii: boolean,
): Scalar {
  switch (column.type) {
    case 'int64':
      return readInt64(bytes, from, to);
    case 'text':
      return readText(bytes, from, to, isAscii);
    case 'float64':
      return readFloat64(bytes, from);
    case 'bool':
      return bytes[from] === 1;
    case 'bytes':
      return new ByteString(bytes.slice(from, to), column.identifierFormat);
  }
}
