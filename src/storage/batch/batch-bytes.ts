/** Append-only memory of a write batch: pieces that double, so that a small transaction stays small, and what it was handed. Views stay valid. */

const pieceBytesMin = 512;
const pieceBytesMax = 1 << 20;

export class BatchBytes {
  used = 0;
  /** Memory of writes, by number. Nothing in it changes once it is written. */
  readonly pieces: Uint8Array[] = [];
  /** The number of the piece that is copied to; -1 before the first one. */
  copied = -1;
  private at = 0;

  /** Copies both, one behind the other, into the piece `copied`; returns where. `value` undefined is a deletion. */
  copy(key: Uint8Array, value: Uint8Array | undefined): number {
    const keyFrom = this.reserve(key.length + (value === undefined ? 0 : value.length));
    const bytes = this.pieces[this.copied] as Uint8Array;
    copyInto(bytes, keyFrom, key);
    if (value !== undefined) copyInto(bytes, keyFrom + key.length, value);
    return keyFrom;
  }

  private reserve(count: number): number {
    const piece = this.pieces[this.copied];
    if (piece === undefined || this.at + count > piece.length) {
      const doubled = Math.max((piece === undefined ? 0 : piece.length) * 2, pieceBytesMin);
      const length = Math.max(Math.min(doubled, pieceBytesMax), count);
      this.copied = this.pieces.push(new Uint8Array(length)) - 1;
      this.at = 0;
    }
    const from = this.at;
    this.at = from + count;
    this.used += count;
    return from;
  }
}

function copyInto(target: Uint8Array, at: number, source: Uint8Array): void {
  if (source.length > 32) {
    target.set(source, at);
    return;
  }
  for (let i = 0; i < source.length; i++) target[at + i] = source[i] as number;
}
