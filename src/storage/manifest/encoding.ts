/** Bytes of a manifest (docs/storage-format.md, "Manifest"). */

import { ByteReader, ByteWriter, crc32 } from '#base';
import type { LogExtent, SegmentSeal } from '../log/log.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { Manifest, RunEntry, TableEntry } from './manifest.ts';

const manifestVersion = 3;

/**
 * The version of manifests that name only SSTables of format 1. A program that supports no later
 * version refuses a store once this program has opened it.
 */
const versionOfRows = 2;

/** The version of manifests that contain nothing of the log except its seals. */
const versionWithoutExtent = 1;

const magic = Buffer.from('svc-man\n');
const checksumBytes = 4;
/** Stands for the unknown checksum of a footer. */
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
  writer.list(manifest.seals, (seal) => writeSeal(writer, seal));
  if (manifest.log !== undefined) writeExtent(writer, manifest.log);
  const hasFooters = manifest.log !== undefined;
  writer.list(manifest.runs, (run) => writeRun(writer, run, hasFooters));
  writer.list(manifest.properties, ([name, value]) => {
    writer.sized(Buffer.from(name));
    writer.sized(value);
  });
  writer.u32(crc32(writer.peek()));
  return writer.take();
}

/** Decodes a manifest. Throws `corrupt` or `format`, which name `object`. */
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
    seals: reader.list(() => readSeal(reader)),
    log: version === versionWithoutExtent ? undefined : readExtent(reader),
    runs: reader.list(() => readRun(reader, version === manifestVersion)),
    properties: new Map(reader.list(() => [readText(reader), reader.sized()])),
  };
}

export function corruptManifest(object: string, detail: string, cause?: unknown): StorageError {
  const lost = 'an older manifest would lose later commits, whose log records have been trimmed';
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

function writeRun(writer: ByteWriter, run: RunEntry, hasFooters: boolean): void {
  writer.varint(run.level);
  writer.list(run.tables, (table) => {
    if (hasFooters) writeTable(writer, table);
    else writeTableOnly(writer, table);
  });
}

function readRun(reader: ByteReader, hasFooters: boolean): RunEntry {
  const read = () => (hasFooters ? readTable(reader) : readTableOnly(reader));
  return { level: reader.varint(), tables: reader.list(read) };
}

/** Writes an SSTable with the checksum of its footer. */
export function writeTable(writer: ByteWriter, table: TableEntry): void {
  writeTableOnly(writer, table);
  writer.u32(table.footer ?? noFooter);
}

export function readTable(reader: ByteReader): TableEntry {
  const table = readTableOnly(reader);
  const footer = reader.u32();
  return footer === noFooter ? table : { ...table, footer };
}

function writeTableOnly(writer: ByteWriter, table: TableEntry): void {
  writer.sized(Buffer.from(table.name));
  writer.varint(table.bytes);
  writer.sized(table.smallest);
  writer.sized(table.largest);
  writer.varint(table.sequenceMin);
  writer.varint(table.sequenceMax);
  writer.varint(table.entries);
  writer.u32(Number(table.hash & 0xffff_ffffn));
  writer.u32(Number((table.hash & u64Mask) >> 32n));
}

function readTableOnly(reader: ByteReader): TableEntry {
  return {
    name: readText(reader),
    bytes: reader.varint(),
    smallest: reader.sized(),
    largest: reader.sized(),
    sequenceMin: reader.varint(),
    sequenceMax: reader.varint(),
    entries: reader.varint(),
    hash: BigInt(reader.u32()) | (BigInt(reader.u32()) << 32n),
  };
}

function readText(reader: ByteReader): string {
  return Buffer.from(reader.sized()).toString('utf8');
}
