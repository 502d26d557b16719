/**
 * An open-addressing hash table from safe integers to codes. The keys are stored inline in a Float64Array, the slot is given by the high bits of
 * a Fibonacci hash, and the load factor stays at or below one half.
 */

const multiplier = 0x9e3779b1;
const highMultiplier = 0x85ebca6b;

export class IntTable {
  size = 0;
  private shift: number;
  private keys: Float64Array;
  /** Code + 1; 0 if the slot is free. */
  private codes: Int32Array;

  constructor(bits = 5) {
    this.shift = 32 - bits;
    this.keys = new Float64Array(2 ** bits);
    this.codes = new Int32Array(2 ** bits);
  }

  get bytes(): number {
    return this.keys.length * 12;
  }

  /** Returns the code of `key`, or -1. */
  find(key: number): number {
    return (this.codes[this.slotOf(key)] as number) - 1;
  }

  /** Returns the code of `key`; a new key gets `fresh`. */
  findOrAdd(key: number, fresh: number): number {
    const slot = this.slotOf(key);
    const found = this.codes[slot] as number;
    if (found !== 0) return found - 1;
    this.keys[slot] = key;
    this.codes[slot] = fresh + 1;
    this.size++;
    if (this.size * 2 > this.keys.length) this.grow();
    return fresh;
  }

  /** Calls `visit` for each key with its code. */
  each(visit: (key: number, code: number) => void): void {
    const { keys, codes } = this;
    for (let i = 0; i < keys.length; i++) {
      if (codes[i] !== 0) visit(keys[i] as number, (codes[i] as number) - 1);
    }
  }

  private slotOf(key: number): number {
    const { keys, codes } = this;
    const mask = keys.length - 1;
    const high = Math.imul((key / 0x100000000) | 0, highMultiplier);
    let slot = Math.imul((key | 0) ^ high, multiplier) >>> this.shift;
    while (codes[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { keys, codes } = this;
    this.shift--;
    this.keys = new Float64Array(keys.length * 2);
    this.codes = new Int32Array(keys.length * 2);
    for (let i = 0; i < keys.length; i++) {
      if (codes[i] === 0) continue;
      const slot = this.slotOf(keys[i] as number);
      this.keys[slot] = keys[i] as number;
      this.codes[slot] = codes[i] as number;
    }
  }
}
