/** How many different hashes there were, about: HyperLogLog of 32 registers, with linear counting where few of them are set. */

const registerCount = 32;
const alpha = 0.697;

export class Variants {
  private readonly registers: Uint8Array;

  /** `registers` are those of another one; without them there were no hashes. */
  constructor(registers: Uint8Array = new Uint8Array(registerCount)) {
    this.registers = registers;
  }

  /** A copy, as base64. */
  get text(): string {
    return this.registers.toBase64();
  }

  /** Throws where the text is none of `text`. */
  static of(text: string): Variants {
    const registers = Uint8Array.fromBase64(text);
    if (registers.length !== registerCount) throw new RangeError('other registers');
    return new Variants(registers);
  }

  /** `hash` has 53 bits, as those of `value-hash.ts`. */
  add(hash: number): void {
    const which = Math.floor(hash / 0x1_0000_0000_0000) & (registerCount - 1);
    const rank = Math.clz32(hash >>> 0) + 1;
    if (rank > (this.registers[which] as number)) this.registers[which] = rank;
  }

  get count(): number {
    let sum = 0;
    let zeros = 0;
    for (const rank of this.registers) {
      sum += 2 ** -rank;
      if (rank === 0) zeros++;
    }
    const raw = (alpha * registerCount * registerCount) / sum;
    const isFew = raw <= 2.5 * registerCount && zeros > 0;
    return Math.round(isFew ? registerCount * Math.log(registerCount / zeros) : raw);
  }
}
