/**
 * The header of a row body: the physical ids of its columns, and the width of its offsets.
 *
 * Bodies of one table and one catalog version start with the same bytes (except for the flags), so a shape is parsed once and then
 * recognized. The bytes are documented in docs/storage-format.md, "Rows".
 */

import { invariant } from '#base';
import { readInt32 } from './int-cell.ts';

/** Bits of the first byte. */
const bodyFormat = 0x10;
const bodyFormatMask = 0xf0;
/** Mask of two bits: end offsets take 1, 2 or 4 bytes. */
export const endWidthMask = 0x03;
/** Flag of a body: the ids are listed. Without it they ascend by one from the first id. */
const listedFlag = 0x04;
/** Flag of a body: each text in it is ASCII. */
export const asciiFlag = 0x08;

/** Offset of the first id, after the flags and the number of columns. */
const idsFrom = 3;

/** A parsed header. The reader handles the flags that differ between rows. */
export interface BodyShape {
  /** Header bytes before the null bitmap. */
  readonly header: Uint8Array;
  readonly count: number;
  /** Physical ids, ascending. */
  readonly ids: readonly number[];
}

/** Returns the shape of rows with these columns. `ids` are physical ids, ascending. */
export function shapeOf(ids: readonly number[]): BodyShape {
  const count = ids.length;
  const isListed = ids.some((id, i) => id !== (ids[0] as number) + i);
  const listed = isListed ? count : Math.min(count, 1);
  const header = new Uint8Array(idsFrom + listed * 4);
  const view = new DataView(header.buffer);
  header[0] = bodyFormat | (isListed ? listedFlag : 0);
  view.setUint16(1, count, true);
  for (let i = 0; i < listed; i++) view.setUint32(idsFrom + i * 4, ids[i] as number, true);
  return { header, count, ids };
}

export function parseShape(body: Uint8Array, from: number): BodyShape {
  const flags = body[from] as number;
  invariant((flags & bodyFormatMask) === bodyFormat, 'a row body has a known format');
  const isListed = (flags & listedFlag) !== 0;
  const count = (body[from + 1] as number) | ((body[from + 2] as number) << 8);
  const first = from + idsFrom;
  const ids = Array.from({ length: count }, (_, i) => {
    return isListed ? readInt32(body, first + i * 4) >>> 0 : (readInt32(body, first) >>> 0) + i;
  });
  return shapeOf(ids);
}

/** Parses the shape of arbitrary bytes; returns `undefined` if they are not a body that a writer produces. */
export function shapeIn(bytes: Uint8Array, from: number, to: number): BodyShape | undefined {
  if (to - from < idsFrom || ((bytes[from] as number) & bodyFormatMask) !== bodyFormat) {
    return undefined;
  }
  const count = (bytes[from + 1] as number) | ((bytes[from + 2] as number) << 8);
  const isListed = ((bytes[from] as number) & listedFlag) !== 0;
  if (to - from < idsFrom + 4 * (isListed ? count : Math.min(count, 1))) return undefined;
  const shape = parseShape(bytes, from);
  const { ids } = shape;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    if (id === 0 || id > 0xffff_ffff || (i > 0 && id <= (ids[i - 1] as number))) return undefined;
  }
  return hasShape(shape, bytes, from) ? shape : undefined;
}

/** Returns whether the body at `from` has the shape. */
export function hasShape(shape: BodyShape, body: Uint8Array, from: number): boolean {
  const { header } = shape;
  const differing = (body[from] as number) ^ (header[0] as number);
  if ((differing & (listedFlag | bodyFormatMask)) !== 0) return false;
  for (let i = 1; i < header.length; i++) if (body[from + i] !== header[i]) return false;
  return true;
}
