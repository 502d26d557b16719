/** How deeply a JSON text nests, before anything recursive touches it. */

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
      i = endOfString(text, i);
    } else if ((unit | 0x20) === 0x7b) {
      if (++depth > depthMax) return true; // { and [ differ in bit 5 only, as do } and ].
    } else if ((unit | 0x20) === 0x7d) {
      depth--;
    }
  }
  return false;
}

/** Shorter texts are parsed in no time, whatever they hold. */
const denseLengthMin = 1 << 20;

/**
 * Whether a long text opens an array or object at every fifth character or more often: empty ones in their hundred thousands, which take ten times the
 * time of others to parse. A row of a single cell that holds one character has seven.
 */
export function isTooDense(text: string): boolean {
  if (text.length < denseLengthMin) return false;
  let left = text.length / 5;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) i = endOfString(text, i);
    else if ((unit | 0x20) === 0x7b && --left < 0) return true;
  }
  return false;
}

/** The position of the quote that ends the string starting at `from`. */
function endOfString(text: string, from: number): number {
  for (let i = from + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) return i;
    if (unit === 0x5c) i++;
  }
  return text.length;
}
