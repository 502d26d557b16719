/** Texts in which some positions may have any character, and the search for them with a bit for each position (shift-and). */

export interface Gapped {
  readonly length: number;
  /** The code point at each position, or -1 for any. */
  readonly points: Int32Array;
  /** For each code point of the text, the positions that it fits, as bits. */
  readonly fits: ReadonlyMap<number, Uint32Array>;
  /** The positions that every code point fits. */
  readonly gaps: Uint32Array;
}

export function gappedOf(characters: readonly (string | null)[]): Gapped {
  const { length } = characters;
  const points = Int32Array.from(characters, (character) => character?.codePointAt(0) ?? -1);
  const gaps = bitsOf(points, -1);
  const fits = new Map<number, Uint32Array>();
  for (const point of points) {
    if (point < 0 || fits.has(point)) continue;
    const bits = bitsOf(points, point);
    for (let word = 0; word < bits.length; word++)
      bits[word] = (bits[word] as number) | (gaps[word] as number);
    fits.set(point, bits);
  }
  return { length, points, fits, gaps };
}

function bitsOf(points: Int32Array, wanted: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(points.length / 32));
  for (let at = 0; at < points.length; at++) {
    if (points[at] === wanted) bits[at >> 5] = (bits[at >> 5] as number) | (1 << (at & 31));
  }
  return bits;
}

/** Returns whether the text begins at a position of `points`. */
export function isAt({ points: wanted }: Gapped, points: Uint32Array, from: number): boolean {
  for (let at = 0; at < wanted.length; at++) {
    const point = wanted[at] as number;
    if (point >= 0 && point !== points[from + at]) return false;
  }
  return true;
}

/** Returns the end of the first occurrence within [from, to) of a text that is not empty; -1 if there is none. */
export function findWithGaps(
  { length, fits, gaps }: Gapped,
  points: Uint32Array,
  from: number,
  to: number,
): number {
  const words = gaps.length;
  const found = 1 << ((length - 1) & 31);
  // Bit i is set if the positions up to i fit the characters before `at`.
  const state = new Uint32Array(words);
  for (let at = from; at < to; at++) {
    const fit = fits.get(points[at] as number) ?? gaps;
    let carry = 1;
    for (let word = 0; word < words; word++) {
      const bits = state[word] as number;
      state[word] = ((bits << 1) | carry) & (fit[word] as number);
      carry = bits >>> 31;
    }
    if (((state[words - 1] as number) & found) !== 0) return at + 1;
  }
  return -1;
}
