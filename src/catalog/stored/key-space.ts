/** Key prefixes: one byte for the key space, then four bytes for the physical id of the table or index. */

import { afterPrefix, type ByteWriter } from '#base';
import { type KeyRange, rowSpace } from '#storage';

/** Key spaces are never renumbered. A new kind of record gets a new space. */
export const keySpaces = {
  catalog: 0x10,
  /** The store also uses this space, because it stores rows as columns. */
  row: rowSpace,
  index: 0x30,
  violation: 0x40,
  /** Executed programs, for replay. */
  corpus: 0x50,
  /** Table statistics. */
  statistics: 0x60,
} as const;

/** The offset of the tuple in a row or index key. */
export const tupleFrom = 5;

/** Returns `space`, followed by the physical id of a table or an index in big-endian order, so that keys sort by id. */
export function keyPrefix(space: number, physicalId: number): Uint8Array {
  const prefix = new Uint8Array(tupleFrom);
  prefix[0] = space;
  new DataView(prefix.buffer).setUint32(1, physicalId);
  return prefix;
}

/** Returns the range of all keys that start with `prefix`. */
export function prefixRange(prefix: Uint8Array): KeyRange {
  return { from: prefix, to: afterPrefix(prefix) };
}

/** Clears the writer and appends a prefix of `keyPrefix`. */
export function startKey(writer: ByteWriter, prefix: Uint8Array): void {
  writer.clear();
  appendPrefix(writer, prefix);
}

/** Appends a prefix of `keyPrefix`. */
export function appendPrefix(writer: ByteWriter, prefix: Uint8Array): void {
  const at = writer.reserve(tupleFrom);
  for (let i = 0; i < tupleFrom; i++) writer.bytes[at + i] = prefix[i] as number;
}

/** Returns the ranges that can contain data of this physical id: rows of a table, entries of an index, and violations of a transition. */
export function rangesOfPhysicalId(physicalId: number): readonly KeyRange[] {
  const { row, index, violation } = keySpaces;
  return [row, index, violation].map((space) => prefixRange(keyPrefix(space, physicalId)));
}
