/** Append-only memory of a write batch: pieces that double, so that a small transaction stays small, and what it was handed. Views stay valid. */

const pieceBytesMin = 512;
const pieceBytesMax = 1 << 20;

/** How much of the memory of a batch was in use at a moment. */
export interface MemoryExtent {
  readonly used: number;
  readonly pieces: number;
  readonly copied: number;
}

export class BatchBytes {
  /** Copied and handed over, what was overwritten since included. */
  used = 0;
  /** What the pieces take. */
  held = 0;
  /** Memory of writes, by number. Nothing in it changes once it is written. */
  readonly pieces: Uint8Array[] = [];
  /** The number of the piece that is copied to; -1 before the first one. */
  copied = -1;
  private at = 0;

  /** What is in use now; `cut` goes back to it. */
  get extent(): MemoryExtent {
    return { used: this.used, pieces: this.pieces.length, copied: this.copied };
  }

  /** Gives up the pieces that came after `extent`. What was handed out of those that stay is not written over. */
  cut({ used, pieces, copied }: MemoryExtent): void {
    if (this.copied !== copied) this.at = this.pieces[copied]?.length ?? 0;
    this.used = used;
    for (const piece of this.pieces.splice(pieces)) this.held -= piece.length;
    this.copied = copied;
  }

  /** Keeps `piece`; returns its number. */
  own(piece: Uint8Array): number {
    this.held += piece.length;
    return this.pieces.push(piece) - 1;
  }

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
      this.copied = this.own(new Uint8Array(length));
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
