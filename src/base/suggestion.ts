/** Suggestions for misspelled words. */

/** Returns `did you mean "x"?` for the nearest word of `known`; `undefined` if none is near. */
export function didYouMean(given: string, known: Iterable<string>): string | undefined {
  const nearest = nearestOf(given, known);
  return nearest === undefined ? undefined : `did you mean ${JSON.stringify(nearest)}?`;
}

/** Returns `; did you mean "x"?` to append to a message, or an empty text. */
export function orDidYouMean(given: string, known: Iterable<string>): string {
  const guess = didYouMean(given, known);
  return guess === undefined ? '' : `; ${guess}`;
}

/** Limits on the length of a word and of a list, above which the search would take too long. */
const lengthMax = 40;
const knownMax = 500;

/**
 * Returns the nearest word of `known` within one edit, or within a third of the length of `given` if that is more; `undefined` if there is
 * none. Long words, and words after the first `knownMax`, are not compared.
 */
export function nearestOf(given: string, known: Iterable<string>): string | undefined {
  if (given.length > lengthMax) return undefined;
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  let looked = 0;
  for (const word of known) {
    if (++looked > knownMax) break;
    if (Math.abs(word.length - given.length) >= least) continue;
    const edits = distance(given.toLowerCase(), word.toLowerCase());
    if (edits >= least) continue;
    least = edits;
    nearest = word;
  }
  return nearest;
}

/** Returns the number of edits between two words. A swap of adjacent letters counts as one (optimal string alignment). */
function distance(left: string, right: string): number {
  let twoAbove: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = left[i - 1] === right[j - 1] ? 0 : 1;
      let edits = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + change,
      );
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isSwap) edits = Math.min(edits, (twoAbove[j - 2] as number) + 1);
      row.push(edits);
    }
    twoAbove = above;
    above = row;
  }
  return above[right.length] as number;
}
