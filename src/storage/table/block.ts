/** An opened block: the fields of its header, and the search of its keys in place. */

import type { BlockValues, StoredBlock } from '../contract/stored-block.ts';
import {
  blockFlags,
  blockFormat,
  firstBit,
  hasBit,
  header,
  readEnd,
  readF64,
  readU16,
  readU32,
} from './block-format.ts';
import type { ValueCodecs } from './value-codec.ts';

/** Interpolation steps before the search continues by bisection. */
const guessesMax = 4;

const wordBytes = 4;

/**
 * Result of a search if the key is within the key range of the block, but is not one of its keys.
 */
const absent = -1;
/** Result of a search if the key is below or above all keys of the block. */
export const outside = -2;

export class Block implements StoredBlock {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly layout: number;
  readonly prefixLength: number;
  readonly prefixAt: number;
  readonly suffixesAt: number;
  /** The length of each suffix; 0 if the lengths differ, and the block stores the ends. */
  readonly stride: number;
  readonly highestSequence: number;
  /** Offset of the bitmap of slots with the key of the previous slot; 0 if there are none. */
  readonly sameKeysAt: number;
  /** Offset of the bitmap of tombstones; 0 if no slot is a tombstone. */
  readonly tombstonesAt: number;
  readonly values: BlockValues;
  private readonly keyEndsAt: number;
  private readonly hasWideKeyEnds: boolean;
  private readonly sequencesAt: number;
  private readonly baseSequence: number;
  private readonly hasWideSequences: boolean;
  /**
   * The first and the last suffix, if suffixes are numbers. These copies are adjacent, whereas the
   * suffixes are far apart in `bytes`.
   */
  private readonly least: number = 0;
  private readonly greatest: number = 0;
  /** The first twelve bytes of the common prefix, four per number, copied for the same reason. */
  private readonly prefixHead: number;
  private readonly prefixMiddle: number;
  private readonly prefixTail: number;

  /**
   * Opens a block whose `bytes` have passed their checksum. All entries have `sequence` if it is
   * set, whatever the block says. Throws a RangeError for an unsupported format or layout.
   */
  constructor(bytes: Uint8Array, codecs: ValueCodecs, sequence?: number) {
    if (readU32(bytes, header.format) !== blockFormat) throw new RangeError('block format');
    this.bytes = bytes;
    this.rows = readU32(bytes, header.rows);
    this.layout = readU32(bytes, header.layout);
    this.prefixLength = readU16(bytes, header.prefixLength);
    this.stride = readU32(bytes, header.keyStride);
    const flags = readU32(bytes, header.flags);
    this.hasWideKeyEnds = (flags & blockFlags.wideKeyEnds) !== 0;
    this.hasWideSequences = (flags & blockFlags.wideSequences) !== 0;
    this.keyEndsAt = readU32(bytes, header.keysAt);
    const endBytes = this.stride !== 0 ? 0 : this.rows * (this.hasWideKeyEnds ? 4 : 2);
    this.prefixAt = this.keyEndsAt + endBytes;
    this.suffixesAt = this.prefixAt + this.prefixLength;
    this.sequencesAt = sequence === undefined ? readU32(bytes, header.sequencesAt) : 0;
    this.baseSequence = sequence ?? readF64(bytes, header.baseSequence);
    this.highestSequence = sequence ?? readF64(bytes, header.highestSequence);
    this.sameKeysAt = readU32(bytes, header.sameKeysAt);
    this.tombstonesAt = readU32(bytes, header.tombstonesAt);
    const codec = codecs.forLayout(this.layout);
    if (codec === undefined) throw new RangeError('value layout');
    this.values = codec.open(bytes, readU16(bytes, header.columns));
    this.prefixHead = this.prefixWord(bytes, this.prefixAt, 0);
    this.prefixMiddle = this.prefixWord(bytes, this.prefixAt, wordBytes);
    this.prefixTail = this.prefixWord(bytes, this.prefixAt, 2 * wordBytes);
    if (this.stride !== 0 && this.stride <= 4) {
      this.least = this.suffixNumber(0);
      this.greatest = this.suffixNumber(this.rows - 1);
    }
  }

  suffixFrom(slot: number): number {
    if (this.stride !== 0) return this.suffixesAt + slot * this.stride;
    return this.suffixesAt + (slot === 0 ? 0 : this.suffixEnd(slot - 1));
  }

  suffixTo(slot: number): number {
    if (this.stride !== 0) return this.suffixesAt + (slot + 1) * this.stride;
    return this.suffixesAt + this.suffixEnd(slot);
  }

  /** Returns a copy of the key. */
  keyAt(slot: number): Uint8Array {
    const { bytes, prefixAt, prefixLength } = this;
    const from = this.suffixFrom(slot);
    const to = this.suffixTo(slot);
    const key = new Uint8Array(prefixLength + to - from);
    key.set(bytes.subarray(prefixAt, prefixAt + prefixLength));
    key.set(bytes.subarray(from, to), prefixLength);
    return key;
  }

  sequence(slot: number): number {
    if (this.sequencesAt === 0) return this.baseSequence;
    if (this.hasWideSequences) return readF64(this.bytes, this.sequencesAt + 8 * slot);
    return this.baseSequence + readU32(this.bytes, this.sequencesAt + 4 * slot);
  }

  /** Returns true if the slot contains an older version of the key of the previous slot. */
  isOlder(slot: number): boolean {
    return this.sameKeysAt !== 0 && hasBit(this.bytes, this.sameKeysAt, slot);
  }

  isTombstone(slot: number): boolean {
    return this.tombstonesAt !== 0 && hasBit(this.bytes, this.tombstonesAt, slot);
  }

  /** Returns the first slot of [from, to) with an older version, `to` without one. Requires `sameKeysAt`. */
  firstOlder(from: number, to: number): number {
    return firstBit(this.bytes, this.sameKeysAt, from, to);
  }

  /** Returns the first tombstone of [from, to), `to` without one. Requires `tombstonesAt`. */
  firstTombstone(from: number, to: number): number {
    return firstBit(this.bytes, this.tombstonesAt, from, to);
  }

  /** Returns the first slot whose key is at or above `key`; `rows` if there is none. */
  lowerBound(key: Uint8Array): number {
    const order = this.comparePrefix(key);
    if (order !== 0) return order > 0 ? 0 : this.rows;
    if (this.isNumber(key)) {
      return this.lowerBoundOfNumber(readNumber(key, this.prefixLength, this.stride));
    }
    return this.stride !== 0 ? this.lowerBoundOfStrides(key) : this.lowerBoundOfSuffixes(key);
  }

  /**
   * Returns the slot of the newest version of `key`. Returns `absent` if the key is within the key
   * range of the block, but is not one of its keys. Returns `outside` if it is not within that
   * range, so that another block may contain it.
   */
  find(key: Uint8Array): number {
    if (!this.hasPrefix(key)) return outside;
    if (this.isNumber(key)) return this.findNumber(readNumber(key, this.prefixLength, this.stride));
    if (this.compareSuffix(0, key) > 0 || this.compareSuffix(this.rows - 1, key) < 0) {
      return outside;
    }
    const slot = this.stride !== 0 ? this.lowerBoundOfStrides(key) : this.lowerBoundOfSuffixes(key);
    return this.compareSuffix(slot, key) === 0 ? slot : absent;
  }

  /**
   * Returns true if all suffixes, and that of `key`, are numbers of the same length. `key` must
   * have the common prefix.
   */
  private isNumber(key: Uint8Array): boolean {
    const { stride } = this;
    return stride !== 0 && stride <= 4 && key.length - this.prefixLength === stride;
  }

  /**
   * Reads a byte of the suffix that `key` probably has, and returns it. A search for `key` then
   * finds the bytes of the block in the cache of the processor.
   */
  touch(key: Uint8Array): number {
    const { stride, least, greatest, rows } = this;
    if (stride === 0) return this.bytes[this.keyEndsAt] as number;
    if (greatest === least) return this.bytes[this.suffixesAt] as number;
    const wanted = readNumber(key, this.prefixLength, stride);
    const slot = Math.floor(((wanted - least) * (rows - 1)) / (greatest - least));
    return this.bytes[this.suffixesAt + Math.min(Math.max(slot, 0), rows - 1) * stride] as number;
  }

  private findNumber(wanted: number): number {
    if (wanted < this.least || wanted > this.greatest) return outside;
    const slot = this.lowerBoundOfNumber(wanted);
    return this.suffixNumber(slot) === wanted ? slot : absent;
  }

  private lowerBoundOfSuffixes(key: Uint8Array): number {
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compareSuffix(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Returns the first suffix at or above `wanted`, if suffixes are numbers. Their values are mostly
   * evenly spaced, so a few steps of interpolation are followed by bisection.
   */
  private lowerBoundOfNumber(wanted: number): number {
    let low = 0;
    let high = this.rows - 1;
    let below = this.least;
    if (wanted <= below) return 0;
    let above = this.greatest;
    if (wanted > above) return this.rows;
    // The number at `low` is below `wanted`, and the one at `high` is not.
    for (let guesses = 0; high - low > 1; guesses++) {
      const step =
        guesses < guessesMax
          ? Math.floor(((wanted - below) * (high - low)) / (above - below))
          : (high - low) >>> 1;
      const middle = Math.min(Math.max(low + step, low + 1), high - 1);
      const found = this.suffixNumber(middle);
      if (found < wanted) {
        low = middle;
        below = found;
      } else {
        high = middle;
        above = found;
      }
    }
    return high;
  }

  private suffixNumber(slot: number): number {
    return readNumber(this.bytes, this.suffixesAt + slot * this.stride, this.stride);
  }

  /**
   * Does the same as `lowerBound` if all suffixes have one length, as those of integers have. `key`
   * must have the common prefix.
   */
  private lowerBoundOfStrides(key: Uint8Array): number {
    const { bytes, prefixLength, stride, suffixesAt } = this;
    const shared = Math.min(stride, key.length - prefixLength);
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const from = suffixesAt + middle * stride;
      let i = 0;
      while (i < shared && bytes[from + i] === key[prefixLength + i]) i++;
      // A key that ends after `shared` bytes is below every longer suffix.
      const isBelow =
        i < shared
          ? (bytes[from + i] as number) < (key[prefixLength + i] as number)
          : stride < key.length - prefixLength;
      if (isBelow) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Returns the slot of the newest version at or below `snapshot` of the key whose newest version
   * is at `slot`; -1 if there is none.
   */
  visibleFrom(slot: number, snapshot: number): number {
    let at = slot;
    do {
      if (this.sequence(at) <= snapshot) return at;
      at++;
    } while (at < this.rows && this.isOlder(at));
    return -1;
  }

  /** Returns true if `key` begins with the common prefix. */
  private hasPrefix(key: Uint8Array): boolean {
    const { prefixLength } = this;
    if (key.length < prefixLength) return false;
    return (
      this.prefixWord(key, 0, 0) === this.prefixHead &&
      this.prefixWord(key, 0, wordBytes) === this.prefixMiddle &&
      this.prefixWord(key, 0, 2 * wordBytes) === this.prefixTail &&
      (prefixLength <= 3 * wordBytes || this.comparePrefix(key) === 0)
    );
  }

  /** Returns up to four bytes of a prefix that begins at `at`, starting with its byte `from`. */
  private prefixWord(bytes: Uint8Array, at: number, from: number): number {
    const length = Math.max(0, Math.min(wordBytes, this.prefixLength - from));
    return readNumber(bytes, at + from, length);
  }

  /**
   * Compares the keys of the block with `key` by the common prefix. Returns 0 if the suffixes
   * decide.
   */
  private comparePrefix(key: Uint8Array): number {
    const length = Math.min(this.prefixLength, key.length);
    for (let i = 0; i < length; i++) {
      const difference = (this.bytes[this.prefixAt + i] as number) - (key[i] as number);
      if (difference !== 0) return difference;
    }
    return key.length < this.prefixLength ? 1 : 0;
  }

  private compareSuffix(slot: number, key: Uint8Array): number {
    const { bytes, prefixLength } = this;
    const from = this.suffixFrom(slot);
    const length = this.suffixTo(slot) - from;
    const rest = key.length - prefixLength;
    const shared = Math.min(length, rest);
    for (let i = 0; i < shared; i++) {
      const difference = (bytes[from + i] as number) - (key[prefixLength + i] as number);
      if (difference !== 0) return difference;
    }
    return length - rest;
  }

  private suffixEnd(slot: number): number {
    return readEnd(this.bytes, this.keyEndsAt, slot, this.hasWideKeyEnds);
  }
}

/**
 * Returns up to four bytes as a number, in big-endian order, so that numbers compare as their bytes
 * do.
 */
function readNumber(bytes: Uint8Array, at: number, length: number): number {
  let number = 0;
  for (let i = 0; i < length; i++) number = (number << 8) | (bytes[at + i] as number);
  return number >>> 0;
}
