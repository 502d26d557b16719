/**
 * Append-only memory of a write batch: pieces of doubling size, so that a small transaction stays small, and pieces handed over by the
 * caller. Views of the pieces stay valid.
 */

const pieceBytesMin = 512;
const pieceBytesMax = 1 << 20;

/** The amount of memory that a batch used at some moment. */
export interface MemoryExtent {
  readonly used: number;
  readonly pieces: number;
  readonly copied: number;
}

export class BatchBytes {
  /** Bytes copied or handed over, including those of writes that were overwritten later. */
  used = 0;
  /** Bytes allocated for all pieces. */
  held = 0;
  /** The memory of the writes, by piece number. Bytes do not change once they are written. */
  readonly pieces: Uint8Array[] = [];
  /** Number of the piece to which keys and values are copied; -1 before the first copy. */
  copied = -1;
  private at = 0;

  /** Returns the amount in use now, to which `cut` can return. */
  get extent(): MemoryExtent {
    return { used: this.used, pieces: this.pieces.length, copied: this.copied };
  }

  /** Releases the pieces that were added after `extent`. In the remaining pieces, bytes that were handed out are not overwritten. */
  cut({ used, pieces, copied }: MemoryExtent): void {
    if (this.copied !== copied) this.at = this.pieces[copied]?.length ?? 0;
    this.used = used;
    for (const piece of this.pieces.splice(pieces)) this.held -= piece.length;
    this.copied = copied;
  }

  /** Returns a copy that shares the pieces. Only one of the two may be written to from now on. */
  clone(): BatchBytes {
    const copy = new BatchBytes();
    copy.used = this.used;
    copy.held = this.held;
    copy.pieces.push(...this.pieces);
    copy.copied = this.copied;
    copy.at = this.at;
    return copy;
  }

  /** Takes ownership of `piece` and returns its number. */
  own(piece: Uint8Array): number {
    this.held += piece.length;
    return this.pieces.push(piece) - 1;
  }

  /**
   * Copies the key and then the value into the piece `copied`, and returns the position of the key. An `undefined` value is a tombstone.
   */
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
