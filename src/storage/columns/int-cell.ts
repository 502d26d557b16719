/** Integers in the fewest bytes: little-endian two's complement in 0 (for zero), 1, 2, 4 or 8 bytes. */

import type { ByteWriter } from '#base';

export function appendInt64(writer: ByteWriter, value: number | bigint): void {
  if (typeof value === 'bigint') {
    const at = writer.reserve(8);
    writer.view.setBigInt64(at, value, true);
  } else if (value === (value | 0)) {
    // Write all four bytes and then cut the length, which is faster than a loop.
    const at = writer.reserve(4);
    writeInt32(writer.bytes, at, value);
    writer.length = at + int32Length(value);
  } else {
    const at = writer.reserve(8);
    writeInt32(writer.bytes, at, value);
    writeInt32(writer.bytes, at + 4, Math.floor(value / 0x1_0000_0000));
  }
}

/** Writes the low 32 bits of `value`. */
function writeInt32(bytes: Uint8Array, at: number, value: number): void {
  const low = value | 0;
  bytes[at] = low;
  bytes[at + 1] = low >> 8;
  bytes[at + 2] = low >> 16;
  bytes[at + 3] = low >> 24;
}

function int32Length(value: number): number {
  if (value === 0) return 0;
  return value === (value << 24) >> 24 ? 1 : value === (value << 16) >> 16 ? 2 : 4;
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

/** Reads an integer of eight bytes. */
export function readLong(bytes: Uint8Array, from: number): number | bigint {
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

/** Returned for a cell that is not the encoding of any integer. */
const notAnInt = Number.NaN;

/** Returned for a cell with an integer that a number cannot represent exactly. */
export const beyondNumbers = Number.POSITIVE_INFINITY;

/** Returns the integer whose encoding equals the cell byte for byte; otherwise `notAnInt` or `beyondNumbers`. */
export function intOfCell(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  if (length === 8) {
    const high = readInt32(bytes, from + 4);
    const value = high * 0x1_0000_0000 + (readInt32(bytes, from) >>> 0);
    if (!Number.isSafeInteger(value)) return beyondNumbers;
    return value === (value | 0) ? notAnInt : value;
  }
  if (length > 4 || length === 3) return notAnInt;
  const value = readInt64(bytes, from, to) as number;
  return int32Length(value) === length ? value : notAnInt;
}
