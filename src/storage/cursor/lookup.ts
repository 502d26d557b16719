/** One point read: the key, hashed at most once, and its result. Reusable. */

import type { BlockValues, FoundValue } from '../contract/stored-block.ts';
import { HashPair, hashKey } from '../key/key-hash.ts';

const nothing = new Uint8Array(0);

export class Lookup implements FoundValue {
  key: Uint8Array = nothing;
  /** Versions above this sequence are invisible. */
  snapshot = 0;
  /** The result, valid after `find` has returned true; a view of shared memory. If `block` is set, `bytes` has yet to join the value. */
  block: BlockValues | undefined;
  slot = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence = 0;
  /** True if the newest visible version is a tombstone. Older sources then need no search. */
  isTombstone = false;
  /**
   * The source of the last result, and the position in it where the next read may start, since successive reads are mostly close together.
   */
  recentSource: object | undefined;
  recentPlace: object | undefined;
  private readonly pair = new HashPair();
  private isHashed = false;

  /** Prepares the lookup of `key`, which must not change until the lookup is done. */
  ask(key: Uint8Array, snapshot: number): this {
    this.key = key;
    this.block = undefined;
    this.snapshot = snapshot;
    this.isHashed = false;
    return this;
  }

  /** The hash of the key, computed on first use. A read that continues from the previous position needs none. */
  get hash(): HashPair {
    if (!this.isHashed) {
      hashKey(this.key, 0, this.key.length, this.pair);
      this.isHashed = true;
    }
    return this.pair;
  }

  /** Returns the value. The bytes are a view of shared memory, or were joined for the caller. */
  bytes(): Uint8Array {
    this.block?.join(this.slot, this);
    this.block = undefined;
    return this.value.subarray(this.valueFrom, this.valueTo);
  }
}
