/** The steps of MurmurHash3 over words of 32 bits. */

/** Returns the signed state after another word. */
export function mixWord(state: number, word: number, factor = 0xcc9e2d51): number {
  const scrambled = Math.imul(word, factor);
  const turned = state ^ Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + 0xe6546b64) | 0;
}

/** Returns the unsigned hash of a final state. Every bit of the state affects every bit of the hash. */
export function finishHash(state: number): number {
  let hash = state ^ (state >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
