/** Reads columns of the primary key from the keys of a run. */

import { type Column, tupleFrom } from '#catalog';
import type { StoredBlock } from '#storage';
import { decodeKeyMember, type Scalar, skipKeyMember } from '#value';
import type { ColumnVector, Picked } from './column-reader.ts';

/** Size of an int64 in a key: a tag and the value. */
const intBytes = 9;
const signBit = 1n << 63n;

const nothing = new Uint8Array(0);

export class KeyColumnReader {
  private readonly column: Column;
  /** Position of the column in the key. */
  private readonly member: number;
  /** Size of a key that consists of int64 members only; 0 for other keys. */
  private readonly keyBytes: number;
  private numbers = new Float64Array(0);
  private readonly keys = new SlotKeys();

  /** `types` are those of all columns of the key. */
  constructor(column: Column, member: number, types: readonly Column['type'][]) {
    this.column = column;
    this.member = member;
    const isOfInts = types.every((type) => type === 'int64');
    this.keyBytes = isOfInts ? tupleFrom + types.length * intBytes : 0;
  }

  /**
   * Returns the values of the slots [from, to), like `ColumnReader`: valid until the next read of the reader. With `picked`, values at
   * other positions are arbitrary.
   */
  read(block: StoredBlock, from: number, to: number, picked?: Picked): ColumnVector {
    const numbers = this.keyBytes > 0 ? this.ints(block, from, to, picked) : undefined;
    if (numbers !== undefined) return numbers;
    return picked === undefined
      ? this.members(block, from, to)
      : this.pickedMembers(block, from, to, picked);
  }

  /** Reads a member of keys that consist of int64 only and so have one length. Returns `undefined` if a value exceeds the safe integers. */
  private ints(
    block: StoredBlock,
    from: number,
    to: number,
    picked: Picked | undefined,
  ): Float64Array | undefined {
    const { prefixLength, stride, suffixesAt } = block;
    if (stride === 0 || prefixLength + stride !== this.keyBytes) return undefined;
    const first = tupleFrom + this.member * intBytes + 1;
    const shared = Math.max(0, Math.min(8, prefixLength - first));
    const base = sharedPart(block, first, shared);
    const length = 8 - shared;
    const count = to - from;
    if (this.numbers.length < count) this.numbers = new Float64Array(Math.max(count, 1024));
    const out = this.numbers;
    const start = suffixesAt + from * stride + first + shared - prefixLength;
    const isSafe =
      picked === undefined
        ? readInts(block.bytes, { start, stride, length, base }, count, out)
        : readPicked(block.bytes, { start, stride, length, base }, picked, out);
    if (!isSafe) return undefined;
    return out.length === count ? out : out.subarray(0, count);
  }

  private members(block: StoredBlock, from: number, to: number): Scalar[] {
    const out: Scalar[] = [];
    this.keys.start(block);
    for (let slot = from; slot < to; slot++) out.push(this.memberAt(block, slot));
    return out;
  }

  private pickedMembers(block: StoredBlock, from: number, to: number, picked: Picked): Scalar[] {
    const { positions, count } = picked;
    const out: Scalar[] = new Array(to - from);
    this.keys.start(block);
    for (let i = 0; i < count; i++) {
      const at = positions[i] as number;
      out[at] = this.memberAt(block, from + at);
    }
    return out;
  }

  /** Returns the member of the key in `slot`. `keys.start` must have been called for the block. */
  private memberAt(block: StoredBlock, slot: number): Scalar {
    const { column, keys, member } = this;
    keys.take(block, slot);
    let at = tupleFrom;
    for (let i = 0; i < member; i++) at = skipKeyMember(keys.key, at);
    return decodeKeyMember(keys.key, at, column.type, column.identifierFormat);
  }
}

/** The bytes of an integer member that the keys of a block do not share, and the value of the shared bytes. */
interface IntBytes {
  /** Offset of the bytes of the first slot in the block. */
  readonly start: number;
  readonly stride: number;
  /** Number of bytes in each slot. */
  readonly length: number;
  readonly base: number;
}

/** Returns the value of the shared first bytes of a member if its other bytes are 0. Keys store the sign bit inverted. */
function sharedPart({ bytes, prefixAt }: StoredBlock, first: number, count: number): number {
  let value = 0n;
  for (let i = 0; i < count; i++) {
    value = (value << 8n) | BigInt(bytes[prefixAt + first + i] as number);
  }
  return Number((value << BigInt(8 * (8 - count))) - signBit);
}

/** Reads integers and returns whether all of them are safe integers. */
function readInts(
  bytes: Uint8Array,
  { start, stride, length, base }: IntBytes,
  count: number,
  out: Float64Array,
): boolean {
  if (length > 4) {
    let isSafe = true;
    for (let i = 0, at = start; i < count; i++, at += stride) {
      const value = wide(bytes, at, length, base);
      out[i] = value;
      isSafe &&= Number.isSafeInteger(value);
    }
    return isSafe;
  }
  for (let i = 0, at = start; i < count; i++, at += stride) {
    out[i] = base + bigEndian(bytes, at, length);
  }
  return isSafeRange(base, length);
}

/** Reads the picked integers to the same positions of `out`, and returns whether all of them are safe integers. */
function readPicked(
  bytes: Uint8Array,
  { start, stride, length, base }: IntBytes,
  { positions, count }: Picked,
  out: Float64Array,
): boolean {
  let isSafe = length > 4 || isSafeRange(base, length);
  for (let i = 0; i < count; i++) {
    const row = positions[i] as number;
    const at = start + row * stride;
    const value = length > 4 ? wide(bytes, at, length, base) : base + bigEndian(bytes, at, length);
    out[row] = value;
    isSafe &&= Number.isSafeInteger(value);
  }
  return isSafe;
}

function isSafeRange(base: number, length: number): boolean {
  return Number.isSafeInteger(base) && Number.isSafeInteger(base + 2 ** (8 * length));
}

/** Reads an integer of more than four bytes. If it is not a safe integer, the result is not one either. */
function wide(bytes: Uint8Array, at: number, length: number, base: number): number {
  const high = bigEndian(bytes, at, length - 4);
  return base + high * 2 ** 32 + bigEndian(bytes, at + length - 4, 4);
}

/** Reads an unsigned integer of up to four bytes. */
function bigEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let k = 0; k < length; k++) value = (value << 8) | (bytes[at + k] as number);
  return value >>> 0;
}

/** Assembles the keys of a block, one at a time. */
export class SlotKeys {
  key: Uint8Array = nothing;

  /** Starts a block. Must be called before the first `take` of the block. */
  start({ bytes, prefixAt, prefixLength }: StoredBlock): void {
    if (this.key.length < prefixLength) this.key = new Uint8Array(2 * prefixLength + 32);
    for (let i = 0; i < prefixLength; i++) this.key[i] = bytes[prefixAt + i] as number;
  }

  /** Copies the key of `slot` to the start of `key` and returns its length. */
  take(block: StoredBlock, slot: number): number {
    const { bytes, prefixLength } = block;
    const from = block.suffixFrom(slot);
    const length = prefixLength + block.suffixTo(slot) - from;
    if (this.key.length < length) {
      const grown = new Uint8Array(2 * length);
      grown.set(this.key.subarray(0, prefixLength));
      this.key = grown;
    }
    const { key } = this;
    const shift = from - prefixLength;
    for (let i = prefixLength; i < length; i++) key[i] = bytes[i + shift] as number;
    return length;
  }
}
