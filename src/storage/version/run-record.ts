/**
 * The log record of a commit whose entries are in SSTables (docs/storage-format.md, "Commit
 * records").
 *
 *     u8 format | u8 declares no change | list of varint tracked range | list of SSTables | list of dropped ranges
 */

import { ByteReader, ByteWriter } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { readKeyRange, writeKeyRange } from '../key/key-range-bytes.ts';
import { readTable, writeTable } from '../manifest/encoding.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { noArea } from './change-tracker.ts';
import { committedAt } from './committed-run.ts';

const format = 3;

export interface RunCommitContents {
  /** Tracked ranges that the commit has written, and `noArea` if it declares that it changes none. */
  readonly areas: ReadonlySet<number>;
  /** In key order and disjoint. */
  readonly tables: readonly TableEntry[];
  readonly dropped: readonly KeyRange[];
}

/** An SSTable that a log record names. */
export interface CommittedTable {
  readonly table: TableEntry;
  /** Number of the record. */
  readonly record: number;
}

/** Returns the SSTables that a log record of any kind names. */
export function committedTables(payload: Uint8Array, record: number): readonly CommittedTable[] {
  if (!isRunRecord(payload)) return [];
  return decodeRunCommit(payload.slice(), record).tables.map((table) => ({ table, record }));
}

export function isRunRecord(payload: Uint8Array): boolean {
  return payload[0] === format;
}

export function encodeRunCommit({ areas, tables, dropped }: RunCommitContents): Uint8Array {
  const writer = new ByteWriter(1024);
  writer.u8(format);
  writer.u8(areas.has(noArea) ? 1 : 0);
  writer.list(
    [...areas].filter((area) => area !== noArea),
    (area) => writer.varint(area),
  );
  writer.list(tables, (table) => writeTable(writer, table));
  writer.list(dropped, (range) => writeKeyRange(range, writer));
  return writer.take();
}

/** Decodes the record with the number `sequence`, which is the sequence of the commit. */
export function decodeRunCommit(payload: Uint8Array, sequence: number): RunCommitContents {
  const reader = new ByteReader(payload, 1);
  const declaresNone = reader.u8() === 1;
  const areas = new Set(reader.list(() => reader.varint()));
  if (declaresNone) areas.add(noArea);
  const tables = committedAt(
    sequence,
    reader.list(() => readTable(reader)),
  );
  return { areas, tables, dropped: reader.list(() => readKeyRange(reader)) };
}
