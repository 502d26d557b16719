/** Tracked ranges of the key space: one for the rows of each table (docs/storage-format.md, "Areas"). */

import { noArea } from '#storage';
import { keySpaces, tupleFrom } from './key-space.ts';
import { sameRowsKey } from './keys.ts';

/** Returns the physical id of the table for a row key, `noArea` for `sameRowsKey`, and `undefined` for every other key. */
export function areaOfKey(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (bytes[from] !== keySpaces.row) return isSameRows(bytes, from, to) ? noArea : undefined;
  if (to - from < tupleFrom) return undefined;
  const high = ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number);
  return high * 0x1_0000 + (((bytes[from + 3] as number) << 8) | (bytes[from + 4] as number));
}

function isSameRows(bytes: Uint8Array, from: number, to: number): boolean {
  const [space, kind] = sameRowsKey;
  return bytes[from] === space && bytes[from + 1] === kind && to - from === sameRowsKey.length;
}
