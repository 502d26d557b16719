/**
 * Memory for the blocks that a scan reads and does not cache, one block at a time. Fresh memory for
 * each block would cost more than reading the block from the page cache of the operating system.
 */

const nothing = new Uint8Array(0);
/** Blocks of an SSTable have similar lengths: with this share of spare room, few need a larger buffer. */
const spareShare = 0.25;

export class BlockBuffer {
  private bytes: Uint8Array = nothing;

  /** Returns `length` bytes to fill. The bytes of the previous call are overwritten. */
  take(length: number): Uint8Array {
    if (this.bytes.length < length) {
      // Many scans read one block only.
      const spare = this.bytes.length === 0 ? 0 : Math.ceil(length * spareShare);
      this.bytes = unfilledBytes(length + spare);
    }
    return this.bytes.length === length ? this.bytes : this.bytes.subarray(0, length);
  }
}

/**
 * Returns a buffer to fill. A large one is not zeroed, because zeroing costs more than it is worth.
 */
export function unfilledBytes(length: number): Uint8Array {
  return length < 4096
    ? new Uint8Array(length)
    : new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
}
