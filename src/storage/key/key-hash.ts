/** A 2 × 32-bit hash of a key, shared by the memtable index (first half) and Bloom filters (both halves). */

import { finishHash, mixWord } from '#base';

export class HashPair {
  first = 0;
  second = 0;
}

/**
 * Hashes a key with the word mixing of MurmurHash3, four bytes at a time, into two separately finalized lanes. Both halves are unsigned.
 */
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
    first = mixWord(first, word, 0xcc9e2d51);
    second = mixWord(second, word, 0x38b34ae5);
  }
  let rest = 0;
  for (let shift = 0; at < to; at++, shift += 8) rest |= (bytes[at] as number) << shift;
  first = mixWord(first, rest, 0xcc9e2d51);
  second = mixWord(second, rest, 0x38b34ae5);
  out.first = finishHash(first);
  out.second = finishHash(second ^ first);
}
