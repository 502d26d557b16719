/**
 * The least and the greatest text of blocks, by few of their bytes.
 *
 * Of the texts of all blocks that lie beside each other the common start is kept once, at most 32 bytes of it; of each least and greatest text
 * the eight bytes behind it, zeros where it ends. Cut so, a text never comes behind one that it came before uncut: what is cut off can make two
 * texts equal, never turn their order, so bounds that are cut in the same way lose nothing that they are to find.
 *
 *     for each column: u8 length of the start | start | (8 bytes least, 8 bytes greatest)[blocks]
 */

import { type ByteReader, type ByteWriter, compareRanges } from '#base';

const startMax = 32;
const endBytes = 8;
const boundsBytes = 2 * endBytes;

/** Bytes of a text that can count. */
export const textZoneBytes = startMax + endBytes;

export interface TextEnds {
  /** The first `textZoneBytes` bytes, or fewer, of the least and of the greatest text. */
  readonly least: Uint8Array;
  readonly greatest: Uint8Array;
}

/** The ends of two that lie beside each other. */
export function textEndsOf(left: TextEnds, right: TextEnds): TextEnds {
  return {
    least: compareAll(right.least, left.least) < 0 ? right.least : left.least,
    greatest: compareAll(right.greatest, left.greatest) > 0 ? right.greatest : left.greatest,
  };
}

/** One column, by block; undefined where nothing is known. */
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

  /** `reader` stands on it, and behind it afterwards. */
  constructor(reader: ByteReader, blocks: number) {
    this.bytes = reader.bytes;
    this.startLength = reader.u8();
    this.startAt = reader.skip(this.startLength);
    this.endsAt = reader.skip(boundsBytes * blocks);
  }

  /** No text of the block, of which bounds are known, lies within [least, greatest]. */
  isOutside(
    block: number,
    least: Uint8Array | undefined,
    greatest: Uint8Array | undefined,
  ): boolean {
    const leastAt = this.endsAt + boundsBytes * block;
    if (least !== undefined && this.compare(least, leastAt + endBytes) > 0) return true;
    return greatest !== undefined && this.compare(greatest, leastAt) < 0;
  }

  /** Where a text comes, cut as those that are kept, beside the one at `at`. */
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

/** What lies between two texts that start alike starts so, too. */
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
