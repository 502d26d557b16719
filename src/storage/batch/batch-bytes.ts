/** Append-only memory of a write batch: pieces that double, so that a small transaction stays small. Views stay valid. */

import type { Write } from './write.ts';

const nothing = new Uint8Array(0);
const pieceBytesMin = 512;
const pieceBytesMax = 1 << 20;

export class BatchBytes {
  used = 0;
  private piece = nothing;
  private at = 0;

  /** `value` undefined is a deletion. */
  copy(key: Uint8Array, value: Uint8Array | undefined): Write {
    const valueLength = value === undefined ? 0 : value.length;
    const keyFrom = this.reserve(key.length + valueLength);
    const bytes = this.piece;
    const keyTo = keyFrom + key.length;
    copyInto(bytes, keyFrom, key);
    if (value !== undefined) copyInto(bytes, keyTo, value);
    return { bytes, keyFrom, keyTo, valueTo: keyTo + valueLength, isDelete: value === undefined };
  }

  private reserve(count: number): number {
    if (this.at + count > this.piece.length) {
      const doubled = Math.min(Math.max(this.piece.length * 2, pieceBytesMin), pieceBytesMax);
      this.piece = new Uint8Array(Math.max(doubled, count));
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
