/** Limits the nesting of a JSON text before any recursive code processes it. */

import { stringEnd } from './scan.ts';

/**
 * Returns whether arrays and objects nest deeper than `depthMax`. Brackets in strings do not count. The text need not be valid JSON. A text
 * that is too short to close that many brackets passes, because it is not JSON.
 */
export function isDeeperThan(text: string, depthMax: number): boolean {
  if (text.length <= depthMax * 2) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) {
      i = stringEnd(text, i);
    } else if ((unit | 0x20) === 0x7b) {
      if (++depth > depthMax) return true; // { and [ differ in bit 5 only, as do } and ].
    } else if ((unit | 0x20) === 0x7d) {
      depth--;
    }
  }
  return false;
}

/** Shorter texts are not checked, because they contain little in any case. */
const denseLengthMin = 1 << 20;
/** Minimum number of characters for each array or object. */
const densityMin = 5;

/**
 * Returns whether a long text of `length` characters has more than one array or object per five characters. Such a text contains hundreds of
 * thousands of empty ones, which no program needs and which take far more memory than others. A row of a single cell with one character has seven
 * characters.
 */
export function isDenseAt(opened: number, length: number): boolean {
  return length >= denseLengthMin && opened > length / densityMin;
}
