/** Options for writing SSTables. */

import { opaqueValues } from './opaque-codec.ts';
import type { ValueCodecs } from './value-codec.ts';

export interface TableOptions {
  /**
   * A block is cut before it becomes larger. The versions of one key, or one large value, may
   * exceed the limit.
   */
  readonly blockBytes: number;
  readonly blockRowsMax: number;
  readonly bloomBitsPerKey: number;
  /** An SSTable with fewer keys has no filter. */
  readonly filterKeysMin: number;
  readonly codecs: ValueCodecs;
}

export const tableDefaults: TableOptions = {
  blockBytes: 32 * 1024,
  blockRowsMax: 1024,
  bloomBitsPerKey: 10,
  filterKeysMin: 1000,
  codecs: opaqueValues,
};
