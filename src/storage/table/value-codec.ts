/**
 * The storage of values inside a block. The key-value layer knows keys, versions and this
 * interface, and nothing of schemas.
 */

import type { BlockValues } from '../contract/stored-block.ts';
import type { BlockWriter } from './block-writer.ts';

/** Consecutive bodies: row `i` is `bytes[ends[i - 1], ends[i])`. Tombstones have empty bodies. */
export interface ValueRows {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  readonly count: number;
}

export interface ValueCodec {
  /** Written into each block. The number permanently identifies this codec; 0 is the opaque one. */
  readonly layout: number;
  /**
   * Writes the directory and the sections of the values, which come first in a block. Returns the
   * layout of the result: that of this codec, or the opaque one.
   */
  split(values: ValueRows, writer: BlockWriter): number;
  open(bytes: Uint8Array, columns: number): BlockValues;
}

/**
 * The codec of a key, and the key from which another codec may apply (`undefined` if none does).
 */
export interface CodecRange {
  readonly codec: ValueCodec;
  readonly to: Uint8Array | undefined;
}

export interface ValueCodecs {
  /** Returns the codec for a new block that starts at `key`. */
  forKey(key: Uint8Array): CodecRange;
  /** Returns the codec of an existing block; `undefined` if its layout is not supported. */
  forLayout(layout: number): ValueCodec | undefined;
}
