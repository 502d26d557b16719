/** How tables are written. */

import { opaqueValues } from './opaque-codec.ts';
import type { ValueCodecs } from './value-codec.ts';

export interface TableOptions {
  /** A block is cut before it gets larger; one key's versions, or one large value, may exceed it. */
  readonly blockBytes: number;
  readonly blockRowsMax: number;
  readonly bloomBitsPerKey: number;
  /** Smaller tables have no filter. */
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
