/** The one byte of key space that every key starts with, and the four bytes that say whose keys follow. */

import { afterPrefix, type ByteWriter } from '#base';
import { type KeyRange, rowSpace } from '#storage';

/** Spaces are never renumbered; a new kind of record gets a new one. */
export const keySpaces = {
  catalog: 0x10,
  /** Known to the store too, which keeps rows as columns. */
  row: rowSpace,
  index: 0x30,
  violation: 0x40,
  /** Programs that have run, for replay. */
  corpus: 0x50,
  /** What surveys have found. */
  statistics: 0x60,
} as const;

/** Where the tuple of a row or index key starts. */
export const tupleFrom = 5;

/** `space`, then the physical id of a table or an index, big-endian so that ids order keys. */
export function keyPrefix(space: number, physicalId: number): Uint8Array {
  const prefix = new Uint8Array(tupleFrom);
  prefix[0] = space;
  new DataView(prefix.buffer).setUint32(1, physicalId);
  return prefix;
}

/** All keys that start with `prefix`. */
export function prefixRange(prefix: Uint8Array): KeyRange {
  return { from: prefix, to: afterPrefix(prefix) };
}

/** Puts a prefix of `keyPrefix` at the start of an empty writer. */
export function startKey(writer: ByteWriter, prefix: Uint8Array): void {
  writer.clear();
  appendPrefix(writer, prefix);
}

/** Appends a prefix of `keyPrefix`. */
export function appendPrefix(writer: ByteWriter, prefix: Uint8Array): void {
  const at = writer.reserve(tupleFrom);
  for (let i = 0; i < tupleFrom; i++) writer.bytes[at + i] = prefix[i] as number;
}

/** The ranges that can hold something under this physical id: rows of a table, entries of an index, violations of a transition. */
export function rangesOfPhysicalId(physicalId: number): readonly KeyRange[] {
  const { row, index, violation } = keySpaces;
  return [row, index, violation].map((space) => prefixRange(keyPrefix(space, physicalId)));
}
