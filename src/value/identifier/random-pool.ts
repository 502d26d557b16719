/** Provides random bytes from a pool, since requesting 16 bytes from the operating system costs as much as requesting a thousand. */

import type { Random } from '#base';

const poolBytes = 2048;

export class RandomPool {
  private readonly random: Random;
  private readonly pool = new Uint8Array(poolBytes);
  private at = poolBytes;

  constructor(random: Random) {
    this.random = random;
  }

  /** Fills `target`, which must be shorter than the pool, and returns it. */
  fill(target: Uint8Array): Uint8Array {
    if (this.at + target.length > poolBytes) {
      this.random.fill(this.pool);
      this.at = 0;
    }
    for (let i = 0; i < target.length; i++) {
      target[i] = this.pool[this.at + i] as number;
      this.pool[this.at + i] = 0; // Bytes that were handed out cannot be read again.
    }
    this.at += target.length;
    return target;
  }
}
