/** Append-only memory in fixed pieces, addressed by one Uint32: nothing moves, nothing is freed before the whole. */

import { invariant } from '#base';

const pieceBits = 20;
const pieceBytes = 1 << pieceBits;
const pieceMask = pieceBytes - 1;
/** A larger allocation gets a piece of its own, so that at most this much is lost at the end of a shared piece. */
export const sharedBytesMax = pieceBytes / 4;
const pieceCountMax = 2 ** 32 / pieceBytes;

/** An offset is `piece number × piece size + position`. An allocation lies in one piece, at a multiple of four. */
export class Arena {
  /** Nothing lies in the first piece: offset 0 is never given out, since in links it means "none". */
  private readonly bytePieces: Uint8Array[] = [new Uint8Array(0)];
  private readonly wordPieces: Uint32Array[] = [new Uint32Array(0)];
  /** The free part of the shared piece. */
  private free = 0;
  private freeEnd = 0;
  /** Bytes given out, padding included. */
  used = 0;

  allocate(bytes: number): number {
    const padded = (bytes + 3) & ~3;
    this.used += padded;
    if (padded > sharedBytesMax) return this.addPiece(padded);
    if (this.free + padded > this.freeEnd) this.openSharedPiece();
    const at = this.free;
    this.free = at + padded;
    return at;
  }

  /** The piece that holds `offset`; the position in it is `positionOf(offset)`. */
  bytesAt(offset: number): Uint8Array {
    return this.bytePieces[offset >>> pieceBits] as Uint8Array;
  }

  wordsAt(offset: number): Uint32Array {
    return this.wordPieces[offset >>> pieceBits] as Uint32Array;
  }

  private openSharedPiece(): void {
    const start = this.addPiece(pieceBytes);
    this.free = start;
    this.freeEnd = start + pieceBytes;
  }

  /** Returns the offset of the new piece. */
  private addPiece(bytes: number): number {
    const first = this.bytePieces.length;
    const count = Math.ceil(bytes / pieceBytes);
    invariant(first + count <= pieceCountMax, 'a memtable stays below 4 GiB');
    const piece = new Uint8Array(bytes);
    const words = new Uint32Array(piece.buffer);
    for (let i = 0; i < count; i++) {
      this.bytePieces.push(piece);
      this.wordPieces.push(words);
    }
    return first * pieceBytes;
  }
}

export function positionOf(offset: number): number {
  return offset & pieceMask;
}
