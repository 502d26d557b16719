/** Gathers text into pieces of UTF-8. */

const pieceLength = 64 * 1024;

export class PieceWriter {
  readonly pieces: Uint8Array[] = [];
  /** Of all pieces, one that stands there several times counted each time. */
  bytes = 0;
  /** Memory of the pieces. */
  heldBytes = 0;
  private text = '';

  write(text: string): void {
    this.text += text;
    if (this.text.length >= pieceLength) this.flush();
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
    if (this.text === '') return;
    const piece = Buffer.from(this.text);
    this.pieces.push(piece);
    this.bytes += piece.length;
    this.heldBytes += piece.length;
    this.text = '';
  }
}
