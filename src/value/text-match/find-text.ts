/**
 * Finds a text in another one in time proportional to the sum of their lengths. `indexOf` takes the product of the lengths in the worst
 * case, which is minutes for texts of megabytes. For short needles that is bounded, and `indexOf` is faster.
 */

/** Needles up to this length are found by `indexOf`. */
const shortMax = 64;

/** Returns the position of a needle in `text`, at or after `from`; -1 if it does not occur. */
export type TextFinder = (text: string, from: number) => number;

export function textFinderOf(needle: string): TextFinder {
  if (needle.length <= shortMax) return (text, from) => text.indexOf(needle, from);
  const borders = bordersOf(needle);
  return (text, from) => find(text, from, needle, borders);
}

/** Finds the needle by the algorithm of Knuth, Morris and Pratt. */
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

/** Returns for each prefix of the needle the length of its longest border: a proper prefix that is also a suffix. */
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
