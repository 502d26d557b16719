/**
 * How many different values there are, in bounded memory: a set of hashes up to 4,096, then HyperLogLog of 256 registers for all of them, beside an
 * evenly drawn part of the set that tells how often values come again.
 *
 * A sample is read in pieces, each a stretch of neighbours. Values that lie close together say nothing about how often they come elsewhere, so a
 * value counts once a piece (Chaudhuri, Das and Srivastava, "Effective use of block-level sampling in statistics estimation").
 */

const heldMax = 4_096;
const registerCount = 256;
const empty = -1;

export class DistinctSketch {
  private hashes = new Float64Array(16).fill(empty);
  /** By slot: the piece that the value was met in last, and in how many. */
  private pieces = new Uint16Array(16);
  private counts = new Uint16Array(16);
  private held = 0;
  /** Hashes whose last so many bits are 0 are held. */
  private level = 0;
  private registers: Uint8Array | undefined;

  /** `piece`: 1, 2 and so on up to 65,535, never falling. */
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

  /** How many different values were added: exact, or by HyperLogLog. */
  get count(): number {
    return this.registers === undefined ? this.held : Math.round(estimateOf(this.registers));
  }

  /**
   * How many there are where `share` of all rows was read, by Duj1 (Haas and others, "Sampling-based estimation of the number of distinct
   * values of an attribute"): those that were met in one piece only say how many were not met at all.
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

/** Of the hash, or the empty one where it belongs. Places come from its upper bits: all that are held share the lower ones. */
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

/** With linear counting where few registers are set. */
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
