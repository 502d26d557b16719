/**
 * Plain blocks: each of their keys has one version there, and none is a tombstone. The entries of a
 * plain block are counted without reading it if the snapshot shows all of the SSTable.
 *
 *     u8 bits[(blocks + 7) / 8], the lowest bit of a byte first
 *
 * The bits follow the contents part of the zones. Programs before this part do not read further,
 * and their SSTables do not contain it.
 */

import type { ByteReader, ByteWriter } from '#base';
import { hasBit } from './block-format.ts';

export function appendPlainBlocks(arePlain: readonly boolean[], out: ByteWriter): void {
  for (let block = 0; block < arePlain.length; block += 8) {
    let bits = 0;
    for (let i = 0; i < 8; i++) if (arePlain[block + i] === true) bits |= 1 << i;
    out.u8(bits);
  }
}

/** The bits, read in place. */
export class PlainBlocks {
  private readonly bytes: Uint8Array;
  private readonly at: number;

  /** Opens the bits at the position of `reader`; an SSTable of an earlier program ends there. */
  static open(reader: ByteReader): PlainBlocks | undefined {
    return reader.at === reader.end ? undefined : new PlainBlocks(reader);
  }

  private constructor(reader: ByteReader) {
    this.bytes = reader.bytes;
    this.at = reader.at;
  }

  has(block: number): boolean {
    return hasBit(this.bytes, this.at, block);
  }
}
