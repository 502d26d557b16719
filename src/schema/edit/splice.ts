/** A replacement of a part of a text. */

export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Returns the text after all replacements, whose ranges must not overlap. If two texts are inserted at one position, the later one in the list comes first. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = text;
  for (const { from, to, text: fresh } of splices.toSorted(
    (a, b) => b.from - a.from || b.to - a.to,
  )) {
    result = result.slice(0, from) + fresh + result.slice(to);
  }
  return result;
}
