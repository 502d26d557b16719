/** One point read: the question, hashed once at most, and the place for its answer. Reusable. */

import type { BlockValues, FoundValue } from '../contract/stored-block.ts';
import { HashPair, hashKey } from '../key/key-hash.ts';

const nothing = new Uint8Array(0);

export class Lookup implements FoundValue {
  key: Uint8Array = nothing;
  /** Versions above this sequence are invisible. */
  snapshot = 0;
  /** The answer, meaningful after `find` returned true; a view of shared memory. With a `block`, the value is still to be joined. */
  block: BlockValues | undefined;
  slot = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence = 0;
  /** The newest visible version is a deletion: older sources need no look. */
  isDelete = false;
  /** The source that found something last, and the place in it where the next read may begin: reads in key order are mostly of one place. */
  recentSource: object | undefined;
  recentPlace: object | undefined;
  /** The number of that place among the places of the source. */
  recentNumber = 0;
  private readonly pair = new HashPair();
  private isHashed = false;

  /** Asks for `key`, which must stay unchanged while the question is put to sources. */
  ask(key: Uint8Array, snapshot: number): this {
    this.key = key;
    this.block = undefined;
    this.snapshot = snapshot;
    this.isHashed = false;
    return this;
  }

  /** Of the key. A read that goes on where the one before ended needs none. */
  get hash(): HashPair {
    if (!this.isHashed) {
      hashKey(this.key, 0, this.key.length, this.pair);
      this.isHashed = true;
    }
    return this.pair;
  }

  /** The value as bytes, which are those of shared memory, or put together for the caller. */
  bytes(): Uint8Array {
    this.block?.join(this.slot, this);
    this.block = undefined;
    return this.value.subarray(this.valueFrom, this.valueTo);
  }
}
