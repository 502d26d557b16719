/** Single cells of row bodies: int64 in as few bytes as it needs, float64 in eight, text as UTF-8, bytes as they are. */

import { appendUtf8, type ByteWriter, decodeUtf8 } from '#base';
import type { ByteString, ScalarType } from '#value';

/** Appends a value that is not NULL. */
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

/** Little-endian two's complement in 0 (for zero), 1, 2, 4 or 8 bytes. */
function appendInt64(writer: ByteWriter, value: number | bigint): void {
  if (typeof value === 'bigint') {
    const at = writer.reserve(8);
    writer.view.setBigInt64(at, value, true);
  } else if (value === (value | 0)) {
    appendInt32(writer, value);
  } else {
    const high = Math.floor(value / 0x1_0000_0000);
    const at = writer.reserve(8);
    writer.view.setUint32(at, value - high * 0x1_0000_0000, true);
    writer.view.setInt32(at + 4, high, true);
  }
}

function appendInt32(writer: ByteWriter, value: number): void {
  if (value === 0) return;
  const length = value === (value << 24) >> 24 ? 1 : value === (value << 16) >> 16 ? 2 : 4;
  const at = writer.reserve(length);
  for (let i = 0; i < length; i++) writer.bytes[at + i] = value >> (i * 8);
}

export function readInt64(bytes: Uint8Array, from: number, to: number): number | bigint {
  switch (to - from) {
    case 0:
      return 0;
    case 1:
      return ((bytes[from] as number) << 24) >> 24;
    case 2:
      return (((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 24)) >> 16;
    case 4:
      return readInt32(bytes, from);
    default:
      return readLong(bytes, from);
  }
}

function readLong(bytes: Uint8Array, from: number): number | bigint {
  const low = readInt32(bytes, from) >>> 0;
  const high = readInt32(bytes, from + 4);
  const value = high * 0x1_0000_0000 + low;
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
}

export function readInt32(bytes: Uint8Array, from: number): number {
  return (
    (bytes[from] as number) |
    ((bytes[from + 1] as number) << 8) |
    ((bytes[from + 2] as number) << 16) |
    ((bytes[from + 3] as number) << 24)
  );
}

const floats = new Float64Array(1);
const floatBytes = new Uint8Array(floats.buffer);

/** Cells are not aligned, and a view of each body would cost more than this copy. */
export function readFloat64(bytes: Uint8Array, from: number): number {
  for (let i = 0; i < 8; i++) floatBytes[i] = bytes[from + i] as number;
  return floats[0] as number;
}

interface Latin1Slice {
  call(bytes: Uint8Array, from: number, to: number): string;
}

const latin1Slice = (Buffer.prototype as unknown as { readonly latin1Slice: Latin1Slice })
  .latin1Slice;

/** `isAscii` tells that the text is known to be; reading it is then two to four times as fast. */
export function readText(bytes: Uint8Array, from: number, to: number, isAscii: boolean): string {
  if (from === to) return '';
  return isAscii ? latin1Slice.call(bytes, from, to) : decodeUtf8(bytes, from, to);
}
