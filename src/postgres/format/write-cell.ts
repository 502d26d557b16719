/** Writes values of a result, each with its length, in the text or the binary format. */

import { type SqlType, sqlError, type TextSetting, unsupported, writeText } from '#sql';
import type { ByteString, Datum, Scalar } from '#value';
import type { MessageWriter } from '../codec/message-writer.ts';
import { epochMs } from './epoch.ts';

/** Writes a value that is not NULL. */
export type CellWriter = (to: MessageWriter, value: Datum) => void;

/** Returns the writer of a type. Throws `0A000` if the type does not have the format. */
export function cellWriterOf(type: SqlType, isBinary: boolean, setting: TextSetting): CellWriter {
  return isBinary ? binaryWriterOf(type) : textWriterOf(type, setting);
}

function textWriterOf(type: SqlType, setting: TextSetting): CellWriter {
  if (type.element === undefined && type.stored === 'text')
    return (to, value) => to.sizedText(value as string);
  switch (type.name) {
    case 'bool':
      return (to, value) => to.sizedText(value === true ? 't' : 'f');
    case 'int8':
      return (to, value) => to.sizedText(String(value));
    case 'int2':
    case 'int4':
    case 'oid':
      return (to, value) => to.sizedText(String(inRange(type.name, value as number)));
    default:
      return (to, value) => to.sizedText(writeText(type, value as Scalar, setting));
  }
}

const ranges: Readonly<Record<string, readonly [min: number, max: number, name: string]>> = {
  int2: [-0x8000, 0x7fff, 'smallint'],
  int4: [-0x8000_0000, 0x7fff_ffff, 'integer'],
  oid: [0, 0xffff_ffff, 'OID'],
};

/** Returns the number, or throws `22003` if the type cannot contain it. Intermediate results have 64 bits. */
function inRange(type: string, value: number | bigint): number {
  const [min, max, name] = ranges[type] as (typeof ranges)[string];
  if (value >= min && value <= max) return value as number;
  throw sqlError('22003', `${name} out of range`);
}

const binaryWriters: Readonly<Partial<Record<SqlType['name'], CellWriter>>> = {
  bool: (to, value) => {
    to.int32(1);
    to.byte(value === true ? 1 : 0);
  },
  int2: (to, value) => {
    to.int32(2);
    to.int16(inRange('int2', value as number));
  },
  int4: (to, value) => {
    to.int32(4);
    to.int32(inRange('int4', value as number));
  },
  oid: (to, value) => {
    to.int32(4);
    to.int32(inRange('oid', value as number));
  },
  int8: (to, value) => int64(to, value as number | bigint),
  float4: (to, value) => {
    const number = Math.fround(value as number);
    if (!Number.isFinite(number)) throw sqlError('22003', 'real out of range');
    float32.setFloat32(0, number);
    to.sizedBytes(new Uint8Array(float32.buffer));
  },
  float8: (to, value) => {
    float64.setFloat64(0, value as number);
    to.sizedBytes(new Uint8Array(float64.buffer));
  },
  bytea: (to, value) => to.sizedBytes((value as ByteString).bytes),
  uuid: (to, value) => to.sizedBytes((value as ByteString).bytes),
  date: (to, value) => {
    to.int32(4);
    to.int32(Math.floor((Number(value) - epochMs) / 86_400_000));
  },
  timestamp: (to, value) => int64(to, microsOf(value as number | bigint)),
  timestamptz: (to, value) => int64(to, microsOf(value as number | bigint)),
  jsonb: (to, value) => {
    const at = to.length;
    to.int32(0);
    to.byte(1);
    to.utf8(value as string);
    to.setInt32(at, to.length - at - 4);
  },
};

const float32 = new DataView(new ArrayBuffer(4));
const float64 = new DataView(new ArrayBuffer(8));

function binaryWriterOf(type: SqlType): CellWriter {
  const { element } = type;
  if (element !== undefined) {
    const ofElement = binaryWriterOf(element);
    return (to, value) => writeArray(to, value as readonly Datum[], element.oid, ofElement);
  }
  const found =
    type.format === 'ulid' || type.format === 'xid' ? undefined : binaryWriters[type.name];
  if (found !== undefined) return found;
  if (type.stored === 'text') return (to, value) => to.sizedText(value as string);
  throw unsupported(`the binary format of type ${type.name}`, {
    hint: 'Ask for the column in the text format, or cast it to text.',
  });
}

/** The numbers of a timestamp that the binary format can express. */
const microsMax = 0x7fff_ffff_ffff_fffen;

function microsOf(ms: number | bigint): bigint {
  const micros = (BigInt(ms) - BigInt(epochMs)) * 1000n;
  if (micros > microsMax || micros < -microsMax) throw sqlError('22008', 'timestamp out of range');
  return micros;
}

function int64(to: MessageWriter, value: number | bigint): void {
  to.int32(8);
  if (typeof value === 'number') {
    to.int32(Math.floor(value / 0x1_0000_0000));
    to.int32(value);
    return;
  }
  to.int32(Number(BigInt.asIntN(32, value >> 32n)));
  to.int32(Number(BigInt.asIntN(32, value)));
}

function writeArray(
  to: MessageWriter,
  values: readonly Datum[],
  elementOid: number,
  write: CellWriter,
): void {
  const at = to.length;
  to.int32(0);
  to.int32(values.length === 0 ? 0 : 1);
  to.int32(values.includes(null) ? 1 : 0);
  to.int32(elementOid);
  if (values.length > 0) {
    to.int32(values.length);
    to.int32(1);
  }
  for (const value of values) {
    if (value === null) to.int32(-1);
    else write(to, value);
  }
  to.setInt32(at, to.length - at - 4);
}
