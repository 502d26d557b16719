/** How deeply a JSON text nests, before anything recursive touches it. */

import { stringEnd } from './scan.ts';

/**
 * Whether arrays and objects nest deeper than `depthMax`; brackets in strings do not count. The text need not be valid, but one too
 * short to close so many brackets passes: it is no JSON.
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

/** Shorter texts hold little, whatever stands in them. */
const denseLengthMin = 1 << 20;
/** Characters for each array or object, at least. */
const densityMin = 5;

/**
 * Whether a long text of `length` characters opens an array or object at every fifth character or more often, once so many have been opened: empty ones in
 * their hundred thousands, which no program needs and which take far more memory than others. A row of a single cell that holds one character has seven.
 */
export function isDenseAt(opened: number, length: number): boolean {
  return length >= denseLengthMin && opened > length / densityMin;
}
