/**
 * The byte format of a block: header, directory and the positions of its sections
 * (docs/storage-format.md, "SSTables").
 */

export const blockFormat = 1;

/**
 * Offsets in the header. All numbers are little-endian. Sections start at multiples of eight bytes.
 */
export const header = {
  format: 0,
  rows: 4,
  layout: 8,
  columns: 12,
  prefixLength: 14,
  keysAt: 16,
  keyStride: 20,
  flags: 24,
  sequencesAt: 28,
  baseSequence: 32,
  highestSequence: 40,
  sameKeysAt: 48,
  tombstonesAt: 52,
  bytes: 56,
} as const;

export const blockFlags = {
  /**
   * Some slots contain an older version of the key of the previous slot. The block then has the
   * same-key bitmap.
   */
  olderVersions: 1,
  /** Some slots are tombstones. The block then has the tombstone bitmap. */
  tombstones: 2,
  /** The ends of key suffixes are u32. */
  wideKeyEnds: 8,
  /** Sequences are f64, instead of u32 offsets from the base. */
  wideSequences: 16,
} as const;

/** Offsets in a directory entry. Each column has one entry. */
export const directory = {
  column: 0,
  kind: 4,
  encoding: 5,
  flags: 6,
  nullsAt: 8,
  absentAt: 12,
  dataAt: 16,
  auxiliaryAt: 20,
  base: 24,
  bytes: 32,
} as const;

export const encodings = {
  /** The bytes start at `dataAt`, and their ends are u16 at `auxiliaryAt`. */
  narrowEnds: 5,
  wideEnds: 6,
  /** Every slot has the same bytes at `dataAt`. `auxiliaryAt` is their length. */
  constant: 8,
} as const;

/** The largest length of a section whose ends fit into u16. */
export const narrowBytesMax = 0xffff;

/** The largest difference of sequences that are stored as u32. */
export const narrowSequenceMax = 0xffff_ffff;

export function hasBit(bytes: Uint8Array, bitmapAt: number, slot: number): boolean {
  return (((bytes[bitmapAt + (slot >>> 3)] as number) >>> (slot & 7)) & 1) === 1;
}

/** Returns the first slot of [from, to) whose bit is set; `to` if there is none. */
export function firstBit(bytes: Uint8Array, bitmapAt: number, from: number, to: number): number {
  let slot = from;
  while (slot < to) {
    const rest = (bytes[bitmapAt + (slot >>> 3)] as number) >>> (slot & 7);
    if (rest !== 0) return Math.min(to, slot + 31 - Math.clz32(rest & -rest));
    slot = (slot | 7) + 1;
  }
  return to;
}

/** Returns the end of item `slot` in a list of u16 or u32 ends. */
export function readEnd(bytes: Uint8Array, endsAt: number, slot: number, isWide: boolean): number {
  return isWide ? readU32(bytes, endsAt + 4 * slot) : readU16(bytes, endsAt + 2 * slot);
}

export function readU16(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}

export function readU32(bytes: Uint8Array, at: number): number {
  const low =
    (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
  return low + (bytes[at + 3] as number) * 0x100_0000;
}

const scratch = new DataView(new ArrayBuffer(8));

export function readF64(bytes: Uint8Array, at: number): number {
  for (let i = 0; i < 8; i++) scratch.setUint8(i, bytes[at + i] as number);
  return scratch.getFloat64(0, true);
}
