/** How values lie inside a block. The key-value layer knows keys, versions and this seam, nothing of schemas. */

import type { BlockValues } from '../contract/stored-block.ts';
import type { BlockWriter } from './block-writer.ts';

/** Bodies one after the other: row `i` is `bytes[ends[i - 1], ends[i])`. Deletions have empty bodies. */
export interface ValueRows {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  readonly count: number;
}

export interface ValueCodec {
  /** Written into each block; names this codec for ever. 0 is opaque. */
  readonly layout: number;
  /** Writes directory and sections of a block's values, first of all of the block. Returns the layout that they have: this codec's, or opaque. */
  split(values: ValueRows, writer: BlockWriter): number;
  open(bytes: Uint8Array, columns: number): BlockValues;
}

/** The codec of a key, and the key from which on another one may hold (undefined: none does). */
export interface CodecRange {
  readonly codec: ValueCodec;
  readonly to: Uint8Array | undefined;
}

export interface ValueCodecs {
  /** For a new block that starts at `key`. */
  forKey(key: Uint8Array): CodecRange;
  /** For a block that exists; undefined when its layout is unknown. */
  forLayout(layout: number): ValueCodec | undefined;
}
