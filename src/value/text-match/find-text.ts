/**
 * Finds a text in another one in time that grows with the sum of their lengths. `indexOf` takes the product in the worst case, which for texts of
 * megabytes is minutes; for short needles it is bounded and quicker.
 */

/** Needles up to this length are left to `indexOf`. */
const shortMax = 64;

/** Where a needle begins in a text, at or after a place; -1 when it does not occur. */
export type TextFinder = (text: string, from: number) => number;

export function textFinderOf(needle: string): TextFinder {
  if (needle.length <= shortMax) return (text, from) => text.indexOf(needle, from);
  const borders = bordersOf(needle);
  return (text, from) => find(text, from, needle, borders);
}

/** Knuth, Morris, Pratt. */
function find(text: string, from: number, needle: string, borders: Uint32Array): number {
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) {
      matched = borders[matched - 1] as number;
    }
    if (needle.charCodeAt(matched) === unit) matched++;
    if (matched === needle.length) return at + 1 - matched;
  }
  return -1;
}

/** For each prefix of the needle: how long its longest border is, a proper prefix that is a suffix too. */
function bordersOf(needle: string): Uint32Array {
  const borders = new Uint32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at++) {
    const unit = needle.charCodeAt(at);
    while (length > 0 && needle.charCodeAt(length) !== unit) length = borders[length - 1] as number;
    if (needle.charCodeAt(length) === unit) length++;
    borders[at] = length;
  }
  return borders;
}
