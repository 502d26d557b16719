/**
 * The least and the greatest text of blocks, stored in few bytes.
 *
 * The common prefix of the texts of all adjacent blocks is stored once, with at most 32 bytes. Each
 * least and greatest text is stored with the eight bytes that follow the prefix, padded with zeros.
 * Truncation preserves the order: it can make two texts equal, but never reverses them. Bounds that
 * are truncated in the same way therefore exclude no block that they must include.
 *
 *     for each column: u8 length of the prefix | prefix | (8 bytes least, 8 bytes greatest)[blocks]
 */

import { type ByteReader, type ByteWriter, compareRanges } from '#base';

const startMax = 32;
const endBytes = 8;
const boundsBytes = 2 * endBytes;

/** Number of bytes of a text that can affect a comparison. */
export const textZoneBytes = startMax + endBytes;

export interface TextEnds {
  /** The first `textZoneBytes` bytes, or fewer, of the least and of the greatest text. */
  readonly least: Uint8Array;
  readonly greatest: Uint8Array;
}

/** Returns the ends of two adjacent blocks together. */
export function textEndsOf(left: TextEnds, right: TextEnds): TextEnds {
  return {
    least: compareAll(right.least, left.least) < 0 ? right.least : left.least,
    greatest: compareAll(right.greatest, left.greatest) > 0 ? right.greatest : left.greatest,
  };
}

/** Appends one column, by block; `undefined` where the ends are not known. */
export function appendTextZone(blocks: readonly (TextEnds | undefined)[], out: ByteWriter): void {
  const known = blocks.filter((ends) => ends !== undefined);
  const whole = known.length === 0 ? undefined : known.reduce(textEndsOf);
  const start = whole === undefined ? 0 : sharedStart(whole);
  out.u8(start);
  if (whole !== undefined) out.append(whole.least, 0, start);
  for (const ends of blocks) {
    appendEnd(ends?.least, start, out);
    appendEnd(ends?.greatest, start, out);
  }
}

/** The texts of one column, read in place. */
export class TextZone {
  private readonly bytes: Uint8Array;
  private readonly startAt: number;
  private readonly startLength: number;
  private readonly endsAt: number;

  /** Opens the column at the position of `reader`, and moves `reader` past it. */
  constructor(reader: ByteReader, blocks: number) {
    this.bytes = reader.bytes;
    this.startLength = reader.u8();
    this.startAt = reader.skip(this.startLength);
    this.endsAt = reader.skip(boundsBytes * blocks);
  }

  /**
   * Returns true if no text of the block is within [least, greatest]. The ends of the block must be
   * known.
   */
  isOutside(
    block: number,
    least: Uint8Array | undefined,
    greatest: Uint8Array | undefined,
  ): boolean {
    const leastAt = this.endsAt + boundsBytes * block;
    if (least !== undefined && this.compare(least, leastAt + endBytes) > 0) return true;
    return greatest !== undefined && this.compare(greatest, leastAt) < 0;
  }

  /**
   * Compares `text`, truncated in the same way as the stored texts, with the stored text at `at`.
   */
  private compare(text: Uint8Array, at: number): number {
    const { bytes, startAt, startLength } = this;
    for (let i = 0; i < startLength; i++) {
      if (i === text.length) return -1;
      const difference = (text[i] as number) - (bytes[startAt + i] as number);
      if (difference !== 0) return difference;
    }
    for (let i = 0; i < endBytes; i++) {
      const difference = (text[startLength + i] ?? 0) - (bytes[at + i] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

/**
 * Returns the length of the prefix that both texts share. All texts between them have this prefix
 * too.
 */
function sharedStart({ least, greatest }: TextEnds): number {
  const most = Math.min(least.length, greatest.length, startMax);
  let length = 0;
  while (length < most && least[length] === greatest[length]) length++;
  return length;
}

function appendEnd(text: Uint8Array | undefined, from: number, out: ByteWriter): void {
  for (let i = from; i < from + endBytes; i++) out.u8(text?.[i] ?? 0);
}

function compareAll(left: Uint8Array, right: Uint8Array): number {
  return compareRanges(left, 0, left.length, right, 0, right.length);
}
