/** Numbers that depend on a seed only, so that every engine gets the same rows. */

/** Mulberry32: whole numbers below a bound. */
export function random(start: number): (bound: number) => number {
  let state = start;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** The whole number below `bound` of a column in a row: a function, because no array holds a hundred million rows. */
export function numberAt(column: number, id: number, bound: number): number {
  const mixed = mix(mix(id) + Math.imul(column, 0x9e3779b1));
  return Math.floor(((mixed >>> 0) / 2 ** 32) * bound);
}

/** The last step of MurmurHash3: each bit of the input changes half of the bits of the output. */
function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
