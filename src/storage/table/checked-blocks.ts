/**
 * The blocks of an open local file whose checksum a scan need not compute again, because a read of
 * this file has computed it before (docs/decisions/0030-scans-trust-checked-blocks.md).
 */

/** After this many reads of a block without its checksum, the next read computes it. */
const trustedMax = 15;

export class CheckedBlocks {
  /** By block number: how many more reads may trust the block. */
  private left = new Uint8Array(0);

  /** Returns whether the next read of the block may trust it. Such a read counts. */
  trust(number: number): boolean {
    const left = this.left[number] ?? 0;
    if (left === 0) return false;
    this.left[number] = left - 1;
    return true;
  }

  /** Records that the block has passed its checksum. */
  add(number: number): void {
    if (number >= this.left.length) this.grow(number + 1);
    const isFirst = this.left[number] === 0;
    // Blocks of one scan differ, so that no later scan computes the checksums of all of them.
    this.left[number] = isFirst ? 1 + (number % trustedMax) : trustedMax;
  }

  /** Forgets all blocks: another file is open. */
  clear(): void {
    this.left = new Uint8Array(0);
  }

  private grow(length: number): void {
    const grown = new Uint8Array(Math.max(length, 2 * this.left.length));
    grown.set(this.left);
    this.left = grown;
  }
}
