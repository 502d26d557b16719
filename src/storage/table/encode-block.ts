/** Encodes the rows of a RowBuffer as a block. */

import {
  blockFlags,
  blockFormat,
  header,
  narrowBytesMax,
  narrowSequenceMax,
} from './block-format.ts';
import { BlockWriter } from './block-writer.ts';
import type { RowBuffer } from './row-buffer.ts';
import type { ValueCodec } from './value-codec.ts';
import type { BlockFacts } from './zones.ts';

export interface EncodedBlock extends BlockFacts {
  readonly bytes: Uint8Array;
}

export class BlockEncoder {
  private readonly writer = new BlockWriter();
  private suffixEnds = new Uint32Array(1024);

  /** Returns the block. `bytes` is a new array. */
  encode(rows: RowBuffer, codec: ValueCodec): EncodedBlock {
    const { writer } = this;
    const count = rows.rows;
    const layout = codec.split({ bytes: rows.bodies.bytes, ends: rows.bodyEnds, count }, writer);
    const stride = strideOf(rows);
    const isWide = rows.keys.length - count * rows.prefixLength > narrowBytesMax;
    const keysAt = this.writeKeys(rows, stride, isWide);
    const { base, highest } = bounds(rows.sequences, count);
    const sequencesAt = base === highest ? 0 : this.writeSequences(rows, base, highest);
    const sameKeysAt = rows.olderVersions === 0 ? 0 : this.writeBits(rows.isSameKey, count);
    const tombstonesAt = rows.tombstones === 0 ? 0 : this.writeBits(rows.isTombstone, count);
    const view = writer.out.view;
    view.setUint32(header.format, blockFormat, true);
    view.setUint32(header.rows, count, true);
    view.setUint32(header.layout, layout, true);
    view.setUint16(header.columns, writer.columns, true);
    view.setUint16(header.prefixLength, rows.prefixLength, true);
    view.setUint32(header.keysAt, keysAt, true);
    view.setUint32(header.keyStride, stride, true);
    const flags =
      (sameKeysAt === 0 ? 0 : blockFlags.olderVersions) |
      (tombstonesAt === 0 ? 0 : blockFlags.tombstones) |
      (highest - base > narrowSequenceMax ? blockFlags.wideSequences : 0) |
      (stride === 0 && isWide ? blockFlags.wideKeyEnds : 0);
    view.setUint32(header.flags, flags, true);
    view.setUint32(header.sequencesAt, sequencesAt, true);
    view.setFloat64(header.baseSequence, base, true);
    view.setFloat64(header.highestSequence, highest, true);
    view.setUint32(header.sameKeysAt, sameKeysAt, true);
    view.setUint32(header.tombstonesAt, tombstonesAt, true);
    const isPlain = sameKeysAt === 0 && tombstonesAt === 0;
    return { bytes: writer.out.take(), zones: writer.zones, isPlain };
  }

  /** Writes the ends of the suffixes (if their lengths differ), the prefix and the suffixes. */
  private writeKeys(rows: RowBuffer, stride: number, isWide: boolean): number {
    const { keys, keyEnds, prefixLength, rows: count } = rows;
    const out = this.writer.out;
    let keysAt = 0;
    if (stride === 0) {
      if (this.suffixEnds.length < count) this.suffixEnds = new Uint32Array(keyEnds.length);
      for (let i = 0; i < count; i++) {
        this.suffixEnds[i] = (keyEnds[i] as number) - (i + 1) * prefixLength;
      }
      keysAt = this.writer.ends(this.suffixEnds, count, isWide);
    } else {
      keysAt = this.writer.align();
    }
    out.append(keys.bytes, 0, prefixLength);
    let from = 0;
    for (let i = 0; i < count; i++) {
      const to = keyEnds[i] as number;
      out.append(keys.bytes, from + prefixLength, to);
      from = to;
    }
    return keysAt;
  }

  private writeSequences(rows: RowBuffer, base: number, highest: number): number {
    const at = this.writer.align();
    const isWide = highest - base > narrowSequenceMax;
    this.writer.out.reserve(rows.rows * (isWide ? 8 : 4));
    const view = this.writer.out.view;
    if (isWide) {
      for (let i = 0; i < rows.rows; i++) {
        view.setFloat64(at + 8 * i, rows.sequences[i] as number, true);
      }
      return at;
    }
    for (let i = 0; i < rows.rows; i++) {
      view.setUint32(at + 4 * i, (rows.sequences[i] as number) - base, true);
    }
    return at;
  }

  private writeBits(isSet: Uint8Array, count: number): number {
    const at = this.writer.align();
    const length = (count + 7) >>> 3;
    this.writer.out.reserve(length);
    const bytes = this.writer.out.bytes;
    bytes.fill(0, at, at + length);
    for (let i = 0; i < count; i++) {
      const byte = at + (i >>> 3);
      bytes[byte] = (bytes[byte] as number) | ((isSet[i] as number) << (i & 7));
    }
    return at;
  }
}

/** Returns the common length of all suffixes; 0 if the lengths differ or are 0. */
function strideOf(rows: RowBuffer): number {
  const length = rows.keyEnds[0] as number;
  for (let i = 1; i < rows.rows; i++) if (rows.keyEnds[i] !== (i + 1) * length) return 0;
  return length - rows.prefixLength;
}

function bounds(sequences: Float64Array, count: number): { base: number; highest: number } {
  let base = sequences[0] as number;
  let highest = base;
  for (let i = 1; i < count; i++) {
    const sequence = sequences[i] as number;
    if (sequence < base) base = sequence;
    if (sequence > highest) highest = sequence;
  }
  return { base, highest };
}
