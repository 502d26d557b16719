/** A 2 × 32-bit hash of a key, shared by the memtable's index (first half) and Bloom filters (both halves). */

export class HashPair {
  first = 0;
  second = 0;
}

/** MurmurHash3's mixing of four bytes at a time into two lanes, each finalised apart; halves are unsigned. */
export function hashKey(bytes: Uint8Array, from: number, to: number, out: HashPair): void {
  let first = 0x9747b28c ^ (to - from);
  let second = 0x5bd1e995 ^ (to - from);
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    first = mix(first, word, 0xcc9e2d51);
    second = mix(second, word, 0x38b34ae5);
  }
  let rest = 0;
  for (let shift = 0; at < to; at++, shift += 8) rest |= (bytes[at] as number) << shift;
  first = mix(first, rest, 0xcc9e2d51);
  second = mix(second, rest, 0x38b34ae5);
  out.first = finish(first);
  out.second = finish(second ^ first);
}

function mix(state: number, word: number, factor: number): number {
  const scrambled = Math.imul(word, factor);
  const turned = state ^ Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + 0xe6546b64) | 0;
}

function finish(state: number): number {
  let hash = state ^ (state >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
