/** Gathers text into pieces of UTF-8. */

import { JsonBytes } from './json-bytes.ts';

const pieceLength = 64 * 1024;
/** A longer text is a piece of its own: room for whatever its characters take would be three times as much. */
const ownPieceLength = 8 * pieceLength;

export class PieceWriter {
  readonly pieces: Uint8Array[] = [];
  /** Of all pieces, one that stands there several times counted each time. */
  bytes = 0;
  /** Memory of the pieces. */
  heldBytes = 0;
  /** What is no piece yet; to be followed by `cut`. */
  readonly open = new JsonBytes();

  write(text: string): void {
    if (text.length > ownPieceLength) {
      this.flush();
      this.add(Buffer.from(text));
      return;
    }
    this.open.raw(text);
    this.cut();
  }

  /** Makes a piece of what is open when it is long enough. */
  cut(): void {
    if (this.open.length >= pieceLength) this.flush();
  }

  /** Adds pieces that were written before once more: they are not copied. */
  repeat(pieces: readonly Uint8Array[]): void {
    this.flush();
    for (const piece of pieces) {
      this.pieces.push(piece);
      this.bytes += piece.length;
    }
  }

  flush(): void {
    if (this.open.length > 0) this.add(this.open.take());
  }

  private add(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
    this.heldBytes += piece.length;
  }
}
