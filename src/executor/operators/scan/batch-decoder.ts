/** Decodes the rows of the keys that a batch has found. Rows of one block are decoded together, column by column. */

import { SlotGroup } from '#layout';
import type { KeyBatch } from '#storage';
import type { Datums } from '../../batch/vector.ts';
import type { RowDecoder } from './row-decoder.ts';

export class BatchDecoder {
  /** Positions of keys that have no row. */
  readonly absent: number[] = [];
  private readonly decoder: RowDecoder;
  private readonly group = new SlotGroup();

  constructor(decoder: RowDecoder) {
    this.decoder = decoder;
  }

  clear(): void {
    this.absent.length = 0;
    this.group.clear();
  }

  /**
   * Writes the row of each answered key into `columns`. Key `i` of the batch has the position `positions[from + i]`. Returns the number of bytes
   * that were read.
   */
  decode(
    batch: KeyBatch,
    positions: Uint16Array | Uint32Array,
    from: number,
    columns: readonly Datums[],
  ): number {
    const { group, decoder } = this;
    let bytes = 0;
    for (let i = 0; i < batch.end; i++) {
      const at = positions[from + i] as number;
      const key = batch.keys[i] as Uint8Array;
      const block = batch.blocks[i];
      const body = batch.bodies[i];
      if (block !== undefined) group.add(block, batch.slots[i] as number, key, at);
      else if (body !== undefined) bytes += decoder.decodeBody(key, body, columns, at);
      else this.absent.push(at);
    }
    if (group.count === 0) return bytes;
    bytes += decoder.decodeGroup(group, columns);
    group.clear();
    return bytes;
  }
}
