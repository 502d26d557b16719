/** The value of an increment mark: the highest int64 that its column has contained, as 8 bytes little-endian. */

import { toInt64 } from '#value';
import { corrupt } from './frame.ts';

export function encodeIncrementMark(mark: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(mark), true);
  return bytes;
}

/** Throws `catalog_corrupt`. A column without a mark starts at 0. */
export function decodeIncrementMark(bytes: Uint8Array): number | bigint {
  if (bytes.length !== 8) throw corrupt('an increment mark', `it has ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return toInt64(view.getBigInt64(0, true)) as number | bigint;
}
