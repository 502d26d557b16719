/**
 * A counter of distinct values in bounded memory. Up to 4,096 hashes it is an exact set. Above that number it uses HyperLogLog with 256 registers for all
 * hashes, and a uniform sample of the set that estimates how often values repeat.
 *
 * A table sample consists of pieces, each a range of adjacent rows. A value that repeats within a piece does not show how often it occurs
 * elsewhere, so it counts once per piece (Chaudhuri, Das and Srivastava, "Effective use of block-level sampling in statistics estimation").
 */

const heldMax = 4_096;
const registerCount = 256;
const empty = -1;

export class DistinctSketch {
  private hashes = new Float64Array(16).fill(empty);
  /** The last piece that contained the value, by slot. `counts` has the number of pieces that contained it. */
  private pieces = new Uint16Array(16);
  private counts = new Uint16Array(16);
  private held = 0;
  /** The set contains only hashes whose last `level` bits are 0. */
  private level = 0;
  private registers: Uint8Array | undefined;

  /** Adds a value. `piece` is a number from 1 to 65,535 that never decreases. */
  add(hash: number, piece: number): void {
    if (this.registers !== undefined) register(this.registers, hash);
    if (!isHeld(hash, this.level)) return;
    const slot = slotOf(this.hashes, hash);
    if (this.hashes[slot] === empty) {
      this.hashes[slot] = hash;
      this.counts[slot] = 1;
      this.pieces[slot] = piece;
      this.held++;
      if (this.held > heldMax) this.thin();
      else if (this.held * 2 > this.hashes.length) this.rebuild(this.hashes.length * 2);
    } else if (this.pieces[slot] !== piece) {
      this.pieces[slot] = piece;
      this.counts[slot] = (this.counts[slot] as number) + 1;
    }
  }

  get isExact(): boolean {
    return this.registers === undefined;
  }

  /** The number of distinct values added, either exact or estimated by HyperLogLog. */
  get count(): number {
    return this.registers === undefined ? this.held : Math.round(estimateOf(this.registers));
  }

  /**
   * Estimates by Duj1 the number of distinct values in all rows if the fraction `share` of them was read (Haas and others, "Sampling-based
   * estimation of the number of distinct values of an attribute"). The values found in only one piece indicate how many were not found at all.
   */
  inAll(share: number): number {
    const factor = 2 ** this.level;
    let once = 0;
    let met = 0;
    for (let slot = 0; slot < this.hashes.length; slot++) {
      if (this.hashes[slot] === empty) continue;
      const count = this.counts[slot] as number;
      met += count;
      if (count === 1) once++;
    }
    if (met === 0) return 0;
    const seen = this.isExact ? this.held : this.held * factor;
    return seen / Math.max(share, 1 - ((1 - share) * once) / met);
  }

  private thin(): void {
    if (this.registers === undefined) {
      this.registers = new Uint8Array(registerCount);
      for (const hash of this.hashes) if (hash !== empty) register(this.registers, hash);
    }
    this.level++;
    this.rebuild(this.hashes.length);
  }

  private rebuild(size: number): void {
    const { hashes, pieces, counts } = this;
    this.hashes = new Float64Array(size).fill(empty);
    this.pieces = new Uint16Array(size);
    this.counts = new Uint16Array(size);
    this.held = 0;
    for (let from = 0; from < hashes.length; from++) {
      const hash = hashes[from] as number;
      if (hash === empty || !isHeld(hash, this.level)) continue;
      const slot = slotOf(this.hashes, hash);
      this.hashes[slot] = hash;
      this.pieces[slot] = pieces[from] as number;
      this.counts[slot] = counts[from] as number;
      this.held++;
    }
  }
}

function isHeld(hash: number, level: number): boolean {
  return ((hash >>> 0) & ((1 << level) - 1)) === 0;
}

/** Returns the slot of the hash, or the empty slot for it. Slots depend on the upper bits, since all hashes in the set share the lower ones. */
function slotOf(hashes: Float64Array, hash: number): number {
  const mask = hashes.length - 1;
  let slot = Math.floor(hash / 0x20_0000) & mask;
  while (hashes[slot] !== empty && hashes[slot] !== hash) slot = (slot + 1) & mask;
  return slot;
}

function register(registers: Uint8Array, hash: number): void {
  const which = Math.floor(hash / 0x2000_0000_0000);
  const rank = Math.clz32(hash >>> 0) + 1;
  if (rank > (registers[which] as number)) registers[which] = rank;
}

/** Returns the HyperLogLog estimate, by linear counting if few registers are set. */
function estimateOf(registers: Uint8Array): number {
  let sum = 0;
  let zeros = 0;
  for (const rank of registers) {
    sum += 2 ** -rank;
    if (rank === 0) zeros++;
  }
  const alpha = 0.7213 / (1 + 1.079 / registerCount);
  const raw = (alpha * registerCount * registerCount) / sum;
  if (raw > 2.5 * registerCount || zeros === 0) return raw;
  return registerCount * Math.log(registerCount / zeros);
}
