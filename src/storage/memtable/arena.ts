/** Append-only memory in fixed pieces, addressed by a Uint32. Nothing moves, and memory is freed only with the whole arena. */

import { invariant } from '#base';

const pieceBits = 20;
const pieceBytes = 1 << pieceBits;
const pieceMask = pieceBytes - 1;
/** A larger allocation gets a separate piece, so that at most this much is lost at the end of a shared piece. */
export const sharedBytesMax = pieceBytes / 4;
const pieceCountMax = 2 ** 32 / pieceBytes;

/** An arena. An offset is `piece number × piece size + position`. Each allocation is within one piece, at a multiple of four. */
export class Arena {
  /** The first piece is empty: offset 0 is never allocated, because it means "none" in links. */
  private readonly bytePieces: Uint8Array[] = [new Uint8Array(0)];
  private readonly wordPieces: Uint32Array[] = [new Uint32Array(0)];
  /** The free part of the shared piece. */
  private free = 0;
  private freeEnd = 0;
  /** Allocated bytes, including padding. */
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

  /** Returns the piece that contains `offset`, at position `positionOf(offset)`. */
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

  /** Adds a piece and returns its offset. */
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
