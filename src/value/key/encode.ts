/** Encodes values as bytes whose unsigned order is the value order (docs/lir.md §2). A key consists of self-delimiting members. */

import { appendUtf8, type ByteWriter } from '#base';
import type { ByteString, Row, Scalar } from '../datum.ts';
import type { ScalarType } from '../types.ts';
import {
  bytesTag,
  escapeByte,
  falseTag,
  float64Tag,
  int64Tag,
  nullTag,
  terminator,
  textTag,
  trueTag,
} from './tags.ts';

/** Appends one member. NULL is encoded as a member too. */
export function appendKeyMember(writer: ByteWriter, type: ScalarType, value: Scalar): void {
  if (value === null) {
    writer.u8(nullTag);
    return;
  }
  switch (type) {
    case 'int64':
      appendInt64(writer, value as number | bigint);
      break;
    case 'text':
      appendText(writer, value as string);
      break;
    case 'bytes':
      appendBytes(writer, (value as ByteString).bytes);
      break;
    case 'bool':
      writer.u8(value === true ? trueTag : falseTag);
      break;
    case 'float64':
      appendFloat64(writer, value as number);
  }
}

/** Appends the members of a tuple. `types` and `values` are parallel. */
export function appendKey(writer: ByteWriter, types: readonly ScalarType[], values: Row): void {
  for (let i = 0; i < types.length; i++) {
    appendKeyMember(writer, types[i] as ScalarType, values[i] as Scalar);
  }
}

/** Appends big-endian two's complement with the sign bit inverted. */
function appendInt64(writer: ByteWriter, value: number | bigint): void {
  const at = writer.reserve(9);
  const { bytes, view } = writer;
  bytes[at] = int64Tag;
  if (typeof value === 'number') {
    const high = Math.floor(value / 0x1_0000_0000);
    view.setInt32(at + 1, high ^ 0x8000_0000);
    view.setUint32(at + 5, value - high * 0x1_0000_0000);
  } else {
    view.setBigInt64(at + 1, value);
    bytes[at + 1] = (bytes[at + 1] as number) ^ 0x80;
  }
}

/** Appends the IEEE bits with the sign inverted, or with all bits inverted for negative values. `+ 0` turns -0 into +0. */
function appendFloat64(writer: ByteWriter, value: number): void {
  const at = writer.reserve(9);
  const { bytes, view } = writer;
  bytes[at] = float64Tag;
  view.setFloat64(at + 1, value + 0);
  if (value < 0) {
    for (let i = at + 1; i < at + 9; i++) bytes[i] = ~(bytes[i] as number);
  } else {
    bytes[at + 1] = (bytes[at + 1] as number) ^ 0x80;
  }
}

function appendText(writer: ByteWriter, text: string): void {
  writer.u8(textTag);
  const from = writer.length;
  appendUtf8(writer, text);
  if (hasEscapable(writer.bytes, from, writer.length)) {
    const plain = writer.bytes.slice(from, writer.length);
    writer.length = from;
    appendEscaped(writer, plain);
  } else {
    writer.u8(terminator);
  }
}

function hasEscapable(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((bytes[i] as number) <= escapeByte) return true;
  return false;
}

function appendBytes(writer: ByteWriter, source: Uint8Array): void {
  writer.u8(bytesTag);
  appendEscaped(writer, source);
}

function appendEscaped(writer: ByteWriter, source: Uint8Array): void {
  let at = writer.reserve(source.length * 2 + 1);
  const { bytes } = writer;
  for (let i = 0; i < source.length; i++) {
    const byte = source[i] as number;
    if (byte <= escapeByte) {
      bytes[at++] = escapeByte;
      bytes[at++] = byte + 1;
    } else {
      bytes[at++] = byte;
    }
  }
  bytes[at++] = terminator;
  writer.length = at;
}
