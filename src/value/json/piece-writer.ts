/** Collects text into pieces of UTF-8. */

import { JsonBytes } from './json-bytes.ts';

const pieceLength = 64 * 1024;
/** A longer text becomes a separate piece, because reserving the maximum for its characters would take three times its length. */
const ownPieceLength = 8 * pieceLength;

export class PieceWriter {
  readonly pieces: Uint8Array[] = [];
  /** Total bytes of all pieces. A repeated piece counts each time. */
  bytes = 0;
  /** Memory of the pieces in bytes. */
  heldBytes = 0;
  /** The bytes that do not belong to a piece yet. After writing to it, call `cut`. */
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

  /** Ends the open piece if it is long enough. */
  cut(): void {
    if (this.open.length >= pieceLength) this.flush();
  }

  /** Appends earlier pieces again without copying them. */
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
