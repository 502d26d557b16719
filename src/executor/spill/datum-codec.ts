/** Encodes values of spill files, which no other process reads: a tag and its contents. Members of rows and arrays follow each other. */

import { appendUtf8, type ByteReader, type ByteWriter, decodeUtf8, unreachable } from '#base';
import { ByteString, type Datum, identifierFormats } from '#value';

const tags = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  bigint: 4,
  text: 5,
  bytes: 6,
  list: 7,
} as const;

export function appendDatum(writer: ByteWriter, datum: Datum): void {
  if (typeof datum === 'number') {
    writer.u8(tags.number);
    writer.f64(datum);
  } else if (typeof datum === 'string') {
    writer.u8(tags.text);
    const head = writer.reserve(4);
    appendUtf8(writer, datum);
    writer.view.setUint32(head, writer.length - head - 4, true);
  } else if (datum === null) {
    writer.u8(tags.null);
  } else if (typeof datum === 'boolean') {
    writer.u8(datum ? tags.true : tags.false);
  } else if (typeof datum === 'bigint') {
    writer.u8(tags.bigint);
    const at = writer.reserve(8);
    writer.view.setBigInt64(at, datum, true);
  } else if (datum instanceof ByteString) {
    writer.u8(tags.bytes);
    writer.u8(datum.format === undefined ? 0 : identifierFormats.indexOf(datum.format) + 1);
    writer.u32(datum.bytes.length);
    writer.append(datum.bytes);
  } else {
    writer.u8(tags.list);
    writer.u32(datum.length);
    for (const member of datum) appendDatum(writer, member as Datum);
  }
}

export function readDatum(reader: ByteReader): Datum {
  const tag = reader.u8() as (typeof tags)[keyof typeof tags];
  switch (tag) {
    case tags.number:
      return reader.f64();
    case tags.text: {
      const length = reader.u32();
      const from = reader.skip(length);
      return decodeUtf8(reader.bytes, from, from + length);
    }
    case tags.null:
      return null;
    case tags.false:
      return false;
    case tags.true:
      return true;
    case tags.bigint:
      return reader.view.getBigInt64(reader.skip(8), true);
    case tags.bytes: {
      const format = identifierFormats[reader.u8() - 1];
      return new ByteString(reader.take(reader.u32()).slice(), format);
    }
    case tags.list:
      return readList(reader);
    default:
      return unreachable(tag);
  }
}

function readList(reader: ByteReader): Datum {
  const list: Datum[] = new Array(reader.u32());
  for (let i = 0; i < list.length; i++) list[i] = readDatum(reader);
  return list as Datum;
}
