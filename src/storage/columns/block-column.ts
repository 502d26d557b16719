/** One column of an opened block: its position and the bytes of its cells. Does not interpret the bytes as values. */

import type { ByteWriter } from '#base';
import type { StoredColumn } from '../contract/stored-block.ts';
import { directory, hasBit, readEnd, readF64, readU32 } from '../table/block-format.ts';
import { asciiColumn, columnEncodings } from './column-format.ts';
import { appendInt64, readLong } from './int-cell.ts';

/** Estimated memory of the object and a view of its data. */
const columnBytes = 192;
/** Estimated memory of a string in a list. */
const entryBytes = 56;

export class BlockColumn implements StoredColumn {
  /** Bytes of the block. */
  readonly bytes: Uint8Array;
  readonly position: number;
  readonly id: number;
  readonly encoding: number;
  readonly isAscii: boolean;
  /** Offsets of the bitmaps; 0 if no bit is set. */
  readonly nullsAt: number;
  readonly absentAt: number;
  readonly dataAt: number;
  readonly auxiliaryAt: number;
  readonly base: number;
  /** Decoded dictionary entries, cached by a reader. */
  entries: readonly unknown[] | undefined;

  /** `at` is the offset of the directory entry. */
  constructor(bytes: Uint8Array, at: number, position: number) {
    this.bytes = bytes;
    this.position = position;
    this.id = readU32(bytes, at + directory.column);
    this.encoding = bytes[at + directory.encoding] as number;
    this.isAscii = ((bytes[at + directory.flags] as number) & asciiColumn) !== 0;
    this.nullsAt = readU32(bytes, at + directory.nullsAt);
    this.absentAt = readU32(bytes, at + directory.absentAt);
    this.dataAt = readU32(bytes, at + directory.dataAt);
    this.auxiliaryAt = readU32(bytes, at + directory.auxiliaryAt);
    this.base = readF64(bytes, at + directory.base);
  }

  isNull(slot: number): boolean {
    return this.nullsAt !== 0 && hasBit(this.bytes, this.nullsAt, slot);
  }

  isAbsent(slot: number): boolean {
    return this.absentAt !== 0 && hasBit(this.bytes, this.absentAt, slot);
  }

  get heldBytes(): number {
    if (this.encoding !== columnEncodings.dictionary) return columnBytes;
    const { entryCount } = this;
    const start = this.entryFrom(0);
    return columnBytes + entryCount * entryBytes + this.entryTo(entryCount - 1) - start;
  }

  /** Number of entries of the dictionary. */
  get entryCount(): number {
    return readU32(this.bytes, this.auxiliaryAt);
  }

  entryFrom(code: number): number {
    const endsAt = this.auxiliaryAt + 4;
    const start = endsAt + 4 * this.entryCount;
    return code === 0 ? start : start + readU32(this.bytes, endsAt + 4 * (code - 1));
  }

  entryTo(code: number): number {
    const endsAt = this.auxiliaryAt + 4;
    return endsAt + 4 * this.entryCount + readU32(this.bytes, endsAt + 4 * code);
  }

  /** Returns the start of the cell of `slot`, for the encodings `narrowEnds` and `wideEnds`. */
  cellFrom(slot: number): number {
    return this.dataAt + (slot === 0 ? 0 : this.cellEnd(slot - 1));
  }

  cellTo(slot: number): number {
    return this.dataAt + this.cellEnd(slot);
  }

  /** Appends the cell of `slot`, which must have a value. */
  appendCell(slot: number, out: ByteWriter): void {
    const { bytes, dataAt, base } = this;
    switch (this.encoding) {
      case columnEncodings.offset8:
        appendInt64(out, base + (bytes[dataAt + slot] as number));
        return;
      case columnEncodings.offset16: {
        const at = dataAt + 2 * slot;
        appendInt64(out, base + ((bytes[at] as number) | ((bytes[at + 1] as number) << 8)));
        return;
      }
      case columnEncodings.offset32:
        appendInt64(out, base + readU32(bytes, dataAt + 4 * slot));
        return;
      case columnEncodings.int64:
        appendInt64(out, readLong(bytes, dataAt + 8 * slot));
        return;
      case columnEncodings.eight:
        append(out, bytes, dataAt + 8 * slot, dataAt + 8 * slot + 8);
        return;
      case columnEncodings.bits:
        out.u8(hasBit(bytes, dataAt, slot) ? 1 : 0);
        return;
      case columnEncodings.constant:
        append(out, bytes, dataAt, dataAt + this.auxiliaryAt);
        return;
      case columnEncodings.dictionary: {
        const code = bytes[dataAt + slot] as number;
        append(out, bytes, this.entryFrom(code), this.entryTo(code));
        return;
      }
      default:
        append(out, bytes, this.cellFrom(slot), this.cellTo(slot));
    }
  }

  private cellEnd(slot: number): number {
    const isWide = this.encoding === columnEncodings.wideEnds;
    return readEnd(this.bytes, this.auxiliaryAt, slot, isWide);
  }
}

/** Copies bytes in a loop, which is faster than a view and `set` for the mostly short cells. */
function append(out: ByteWriter, source: Uint8Array, from: number, to: number): void {
  if (to - from > 96) {
    out.append(source, from, to);
    return;
  }
  const shift = out.reserve(to - from) - from;
  const { bytes } = out;
  for (let i = from; i < to; i++) bytes[i + shift] = source[i] as number;
}
