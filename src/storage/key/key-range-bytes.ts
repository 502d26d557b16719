/** Encodes a key range as its start and its end. The length of the end is stored plus one, so that 0 means the end of the key space. */

import type { ByteReader, ByteWriter } from '#base';
import type { KeyRange } from '../contract/store.ts';

export function writeKeyRange({ from, to }: KeyRange, writer: ByteWriter): void {
  writer.sized(from);
  writer.varint(to === undefined ? 0 : to.length + 1);
  if (to !== undefined) writer.append(to);
}

/** Reads a range and copies it, because a range outlives the record that contains it. */
export function readKeyRange(reader: ByteReader): KeyRange {
  const from = reader.sized();
  const end = reader.varint();
  return { from, to: end === 0 ? undefined : reader.take(end - 1).slice() };
}
