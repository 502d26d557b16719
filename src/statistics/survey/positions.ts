/** Where pieces of a table begin: at random keys, one in each of as many parts with the same number of rows. */

import type { KeyRange } from '#storage';
import type { Entries } from '../counted.ts';

/** Closer than so many entries a place need not be met. */
const entriesNear = 32;
/** Bytes of a key that are looked at, behind what all keys begin with. */
const depthMax = 48;

/** A key that about `rank` entries of the range lie below; found by counting, without reading. */
export function keyAtRank(entries: Entries, range: KeyRange, rank: number): Uint8Array {
  const at = [...range.from];
  let below = 0;
  for (let depth = 0; depth < depthMax; depth++) {
    let [low, high] = [0, 256];
    let inside = Infinity;
    // The largest byte that no more than `rank` entries lie below.
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
