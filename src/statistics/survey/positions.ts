/** The start positions of pieces of a table: random keys, one in each of several parts with equal numbers of rows. */

import type { KeyRange } from '#storage';
import type { EntryCounts } from '../counted.ts';

/** A position need not be more precise than this number of entries. */
const entriesNear = 32;
/** Maximum length of a position in bytes, after the common prefix of all keys. */
const depthMax = 48;

/** Returns a key that about `rank` entries of the range precede. The key is found by counting, without reading entries. */
export function keyAtRank(entries: EntryCounts, range: KeyRange, rank: number): Uint8Array {
  const at = [...range.from];
  let below = 0;
  for (let depth = 0; depth < depthMax; depth++) {
    let [low, high] = [0, 256];
    let inside = Infinity;
    // Finds the largest byte that at most `rank` entries precede.
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const to = Uint8Array.from([...at, middle]);
      const counted = entries.entriesIn({ from: range.from, to });
      if (counted <= rank) {
        low = middle;
        below = counted;
      } else {
        high = middle;
        inside = counted;
      }
    }
    at.push(low);
    if (rank - below < entriesNear || inside - below < entriesNear) break;
  }
  return Uint8Array.from(at);
}
