/** A key range as bytes: its start, and its end with a length raised by one, so that 0 says "up to the end of the key space". */

import type { ByteReader, ByteWriter } from '#base';
import type { KeyRange } from '../contract/store.ts';

export function writeKeyRange({ from, to }: KeyRange, writer: ByteWriter): void {
  writer.sized(from);
  writer.varint(to === undefined ? 0 : to.length + 1);
  if (to !== undefined) writer.append(to);
}

/** Copies: a range outlives the record it was read from. */
export function readKeyRange(reader: ByteReader): KeyRange {
  const from = reader.sized();
  const end = reader.varint();
  return { from, to: end === 0 ? undefined : reader.take(end - 1).slice() };
}
