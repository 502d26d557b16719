/** Reads parameters in the binary format of PostgreSQL. */

import { type SqlType, type SqlValue, sqlError, unsupported } from '#sql';
import { ByteString, type Scalar } from '#value';
import { BodyReader, utf8Of } from '../codec/body-reader.ts';
import { epochMs, infinite } from './epoch.ts';

/** Throws `22P03` if the bytes do not have the form of the type. */
export function readBinary(type: SqlType, bytes: Uint8Array): SqlValue {
  if (type.element !== undefined) return readArray(type.element, bytes);
  return readScalar(type, bytes);
}

type Read = (bytes: Uint8Array, type: SqlType) => Scalar;

const readers: Readonly<Partial<Record<SqlType['name'], Read>>> = {
  bool: (bytes) => viewOf(bytes, 1).getUint8(0) !== 0,
  int2: (bytes) => viewOf(bytes, 2).getInt16(0),
  int4: (bytes) => viewOf(bytes, 4).getInt32(0),
  oid: (bytes) => viewOf(bytes, 4).getUint32(0),
  int8: (bytes) => int64Of(bytes),
  float4: (bytes) => finite(viewOf(bytes, 4).getFloat32(0)),
  float8: (bytes) => finite(viewOf(bytes, 8).getFloat64(0)),
  bytea: (bytes) => new ByteString(bytes.slice()),
  uuid: (bytes) => new ByteString(viewBytes(bytes, 16).slice(), 'uuid'),
  date: (bytes) => dateOf(bytes),
  timestamp: (bytes) => instantOf(bytes),
  timestamptz: (bytes) => instantOf(bytes),
  jsonb: (bytes) => jsonbOf(bytes),
  json: utf8Of,
  text: utf8Of,
  varchar: utf8Of,
  bpchar: utf8Of,
  name: utf8Of,
  unknown: utf8Of,
};

function readScalar(type: SqlType, bytes: Uint8Array): Scalar {
  const read = readers[type.name];
  // The text forms of ULID and XID have to be parsed, which only the text format does.
  if (read === undefined || type.format === 'ulid' || type.format === 'xid') {
    throw unsupported(`the binary format of parameters of type ${type.name}`, {
      hint: 'Send the parameter in the text format.',
    });
  }
  return read(bytes, type);
}

function readArray(element: SqlType, bytes: Uint8Array): SqlValue {
  const body = new BodyReader(bytes);
  try {
    const dimensions = body.int32();
    body.int32();
    body.int32();
    if (dimensions === 0) return [];
    if (dimensions !== 1) throw unsupported('an array of several dimensions');
    const length = body.int32();
    body.int32();
    if (length < 0 || length > body.remaining) throw wrongForm();
    const values: Scalar[] = [];
    for (let i = 0; i < length; i++) {
      const size = body.int32();
      values.push(size === -1 ? null : readScalar(element, body.take(size)));
    }
    body.done();
    return values;
  } catch (error) {
    if (error instanceof Error && error.name === 'ProtocolError') throw wrongForm();
    throw error;
  }
}

function int64Of(bytes: Uint8Array): number | bigint {
  const view = viewOf(bytes, 8);
  const high = view.getInt32(0);
  const low = view.getUint32(4);
  const value = high * 0x1_0000_0000 + low;
  return Number.isSafeInteger(value) ? value : view.getBigInt64(0);
}

function dateOf(bytes: Uint8Array): number {
  const days = viewOf(bytes, 4).getInt32(0);
  if (days === infinite.days || days === -infinite.days - 1) throw notFinite('date');
  return days * 86_400_000 + epochMs;
}

function instantOf(bytes: Uint8Array): number {
  const micros = viewOf(bytes, 8).getBigInt64(0);
  if (micros === infinite.micros || micros === -infinite.micros - 1n) throw notFinite('timestamp');
  return Math.round(Number(micros) / 1000) + epochMs;
}

function jsonbOf(bytes: Uint8Array): string {
  if (bytes[0] !== 1) throw sqlError('22P03', 'unsupported jsonb version number');
  return utf8Of(bytes.subarray(1));
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw sqlError('22003', 'NaN and infinity are not supported');
}

function notFinite(type: string): Error {
  return sqlError('22008', `${type} out of range: infinity is not supported`);
}

function viewBytes(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  throw wrongForm();
}

function viewOf(bytes: Uint8Array, length: number): DataView {
  viewBytes(bytes, length);
  return new DataView(bytes.buffer, bytes.byteOffset, length);
}

function wrongForm(): Error {
  return sqlError('22P03', 'incorrect binary data format in bind parameter');
}
