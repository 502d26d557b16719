/** Bytes of a manifest (docs/storage-format.md, "Manifest"). */

import { ByteReader, ByteWriter, crc32 } from '#base';
import type { LogExtent, SegmentSeal } from '../log/log.ts';
import { StorageError } from '../object/trouble.ts';
import type { Manifest, Run, TableEntry } from './manifest.ts';

const manifestVersion = 3;

/** Names tables of format 1 only: a program that knows no other refuses a store once this one has opened it. */
const versionOfRows = 2;

/** Says nothing of the log but its seals. */
const versionWithoutExtent = 1;

const magic = Buffer.from('svc-man\n');
const checksumBytes = 4;
/** For the checksum of a footer that is not known. */
const noFooter = 0;
const u64Mask = 0xffff_ffff_ffff_ffffn;

export function encodeManifest(manifest: Manifest): Uint8Array {
  const writer = new ByteWriter(1024);
  writer.append(magic);
  writer.u32(manifest.log === undefined ? versionWithoutExtent : manifestVersion);
  writer.varint(manifest.epoch);
  writer.varint(manifest.number);
  writer.varint(manifest.boundary);
  writer.varint(manifest.lastSequence);
  writer.varint(manifest.nextFile);
  writeList(writer, manifest.seals, writeSeal);
  if (manifest.log !== undefined) writeExtent(writer, manifest.log);
  const hasFooters = manifest.log !== undefined;
  writeList(writer, manifest.runs, (out, run) => writeRun(out, run, hasFooters));
  writeList(writer, [...manifest.properties], writeProperty);
  writer.u32(crc32(writer.peek()));
  return writer.take();
}

/** Throws `corrupt` or `format`, naming `object`. */
export function decodeManifest(bytes: Uint8Array, object: string): Manifest {
  const reader = new ByteReader(bytes, 0, Math.max(0, bytes.length - checksumBytes));
  if (!isWhole(bytes)) throw corruptManifest(object, 'its checksum does not match');
  reader.take(magic.length);
  const version = reader.u32();
  const isKnown = [versionWithoutExtent, versionOfRows, manifestVersion].includes(version);
  if (!isKnown) throw new StorageError({ kind: 'format', object, version });
  return {
    epoch: reader.varint(),
    number: reader.varint(),
    boundary: reader.varint(),
    lastSequence: reader.varint(),
    nextFile: reader.varint(),
    seals: readList(reader, readSeal),
    log: version === versionWithoutExtent ? undefined : readExtent(reader),
    runs: readList(reader, (from) => readRun(from, version === manifestVersion)),
    properties: new Map(readList(reader, readProperty)),
  };
}

export function corruptManifest(object: string, detail: string, cause?: unknown): StorageError {
  const lost = 'an older manifest would lose what was committed and trimmed since';
  return new StorageError({ kind: 'corrupt', object, offset: 0, detail, lost }, cause);
}

function isWhole(bytes: Uint8Array): boolean {
  const end = bytes.length - checksumBytes;
  if (end < magic.length + 4 || !magic.equals(bytes.subarray(0, magic.length))) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(end, true) === crc32(bytes.subarray(0, end));
}

function writeSeal(writer: ByteWriter, seal: SegmentSeal): void {
  writer.varint(seal.epoch);
  writer.varint(seal.segment);
  writer.varint(seal.bytes);
  writer.varint(seal.lastRecord);
}

function readSeal(reader: ByteReader): SegmentSeal {
  return {
    epoch: reader.varint(),
    segment: reader.varint(),
    bytes: reader.varint(),
    lastRecord: reader.varint(),
  };
}

function writeExtent(writer: ByteWriter, extent: LogExtent): void {
  writer.varint(extent.segment);
  writer.varint(extent.record);
}

function readExtent(reader: ByteReader): LogExtent {
  return { segment: reader.varint(), record: reader.varint() };
}

function writeRun(writer: ByteWriter, run: Run, hasFooters: boolean): void {
  writer.varint(run.level);
  writeList(writer, run.tables, (out, table) => {
    writeTable(out, table);
    if (hasFooters) out.u32(table.footer ?? noFooter);
  });
}

function readRun(reader: ByteReader, hasFooters: boolean): Run {
  const read = (from: ByteReader): TableEntry => {
    const table = readTable(from);
    const footer = hasFooters ? from.u32() : noFooter;
    return footer === noFooter ? table : { ...table, footer };
  };
  return { level: reader.varint(), tables: readList(reader, read) };
}

function writeTable(writer: ByteWriter, table: TableEntry): void {
  writeBytes(writer, Buffer.from(table.name));
  writer.varint(table.bytes);
  writeBytes(writer, table.smallest);
  writeBytes(writer, table.largest);
  writer.varint(table.sequenceMin);
  writer.varint(table.sequenceMax);
  writer.varint(table.entries);
  writer.u32(Number(table.hash & 0xffff_ffffn));
  writer.u32(Number((table.hash & u64Mask) >> 32n));
}

function readTable(reader: ByteReader): TableEntry {
  return {
    name: readText(reader),
    bytes: reader.varint(),
    smallest: readBytes(reader),
    largest: readBytes(reader),
    sequenceMin: reader.varint(),
    sequenceMax: reader.varint(),
    entries: reader.varint(),
    hash: BigInt(reader.u32()) | (BigInt(reader.u32()) << 32n),
  };
}

type Property = readonly [name: string, value: Uint8Array];

function writeProperty(writer: ByteWriter, [name, value]: Property): void {
  writeBytes(writer, Buffer.from(name));
  writeBytes(writer, value);
}

function readProperty(reader: ByteReader): Property {
  return [readText(reader), readBytes(reader)];
}

function writeList<T>(
  writer: ByteWriter,
  items: readonly T[],
  write: (writer: ByteWriter, item: T) => void,
): void {
  writer.varint(items.length);
  for (const item of items) write(writer, item);
}

function readList<T>(reader: ByteReader, read: (reader: ByteReader) => T): T[] {
  const items: T[] = [];
  for (let count = reader.varint(); count > 0; count--) items.push(read(reader));
  return items;
}

function writeBytes(writer: ByteWriter, bytes: Uint8Array): void {
  writer.varint(bytes.length);
  writer.append(bytes);
}

/** A copy: what is read lives longer than the object's bytes. */
function readBytes(reader: ByteReader): Uint8Array {
  return reader.take(reader.varint()).slice();
}

function readText(reader: ByteReader): string {
  return Buffer.from(reader.take(reader.varint())).toString('utf8');
}
