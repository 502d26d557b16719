/** Approximate number of distinct hashes: HyperLogLog with 32 registers, with linear counting if few of them are set. */

const registerCount = 32;
const alpha = 0.697;

export class Variants {
  private readonly registers: Uint8Array;

  /** `registers` is the state of another instance; by default the count is 0. */
  constructor(registers: Uint8Array = new Uint8Array(registerCount)) {
    this.registers = registers;
  }

  /** The registers as base64. */
  get text(): string {
    return this.registers.toBase64();
  }

  /** Creates an instance from the value of `text`. Throws if the text is invalid. */
  static of(text: string): Variants {
    const registers = Uint8Array.fromBase64(text);
    if (registers.length !== registerCount)
      throw new RangeError(`expected ${registerCount} registers, got ${registers.length}`);
    return new Variants(registers);
  }

  /** Adds a hash of 53 bits, such as those of `value-hash.ts`. */
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
