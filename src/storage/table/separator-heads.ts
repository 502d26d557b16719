/**
 * The heads of the separators of a partition: the four bytes after the bytes with which all
 * separators begin. A search for a key reads these adjacent numbers, and thus few lines of memory,
 * and compares a whole separator only if its head equals that of the key.
 */

import { compareRanges } from '#base';

const headBytes = 4;

export class SeparatorHeads {
  private readonly prefix: Uint8Array;
  private readonly heads: Uint32Array;

  /** `separators` are in order, and at least one. */
  constructor(separators: readonly Uint8Array[]) {
    const first = separators[0] as Uint8Array;
    const shared = sharedLength(first, separators[separators.length - 1] as Uint8Array);
    this.prefix = first.subarray(0, shared);
    this.heads = Uint32Array.from(separators, (separator) => headOf(separator, shared));
  }

  /** Compares the bytes with which all separators begin with the first bytes of `key`. */
  compareStart(key: Uint8Array): number {
    const { prefix } = this;
    return compareRanges(prefix, 0, prefix.length, key, 0, Math.min(key.length, prefix.length));
  }

  head(index: number): number {
    return this.heads[index] as number;
  }

  /** Returns the head of a key that begins as all separators. */
  headOf(key: Uint8Array): number {
    return headOf(key, this.prefix.length);
  }
}

function sharedLength(left: Uint8Array, right: Uint8Array): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}

/** Bytes behind the end count as 0, so that the order of two different heads is that of their keys. */
function headOf(key: Uint8Array, from: number): number {
  let head = 0;
  for (let i = from; i < from + headBytes; i++) head = head * 256 + (key[i] ?? 0);
  return head;
}
