/** What a misspelt word was probably meant to be. */

/** `did you mean "x"?` for the nearest of `known`, undefined when none is near. */
export function didYouMean(given: string, known: Iterable<string>): string | undefined {
  const nearest = nearestOf(given, known);
  return nearest === undefined ? undefined : `did you mean ${JSON.stringify(nearest)}?`;
}

/** `; did you mean "x"?` to be put behind a message, or nothing. */
export function orDidYouMean(given: string, known: Iterable<string>): string {
  const guess = didYouMean(given, known);
  return guess === undefined ? '' : `; ${guess}`;
}

/** Longer words and longer lists are not worth the time. */
const lengthMax = 40;
const knownMax = 500;

/** The word of `known` that is a few edits away at most. */
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

/** Edits between two words, swapped neighbours counting as one (optimal string alignment). */
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
