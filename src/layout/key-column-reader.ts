/** Columns of the primary key, read from the keys of a run. */

import { type Column, tupleFrom } from '#catalog';
import type { StoredBlock } from '#storage';
import { decodeKeyMember, type Scalar, skipKeyMember } from '#value';
import type { ColumnValues, Picked } from './column-reader.ts';

/** A key of nothing but one int64: what comes before its eight bytes. */
const intFrom = tupleFrom + 1;
const intKeyBytes = intFrom + 8;
const signBit = 1n << 63n;

const nothing = new Uint8Array(0);

export class KeyColumnReader {
  private readonly column: Column;
  /** Position of the column in the key. */
  private readonly member: number;
  private readonly isOnlyInt: boolean;
  private numbers = new Float64Array(0);
  private readonly keys = new SlotKeys();

  constructor(column: Column, member: number, members: number) {
    this.column = column;
    this.member = member;
    this.isOnlyInt = members === 1 && column.type === 'int64';
  }

  /** The slots [from, to). Like those of `ColumnReader`, valid until the reader reads again; with `picked`, other positions may hold anything. */
  read(block: StoredBlock, from: number, to: number, picked?: Picked): ColumnValues {
    const numbers = this.isOnlyInt ? this.ints(block, from, to, picked) : undefined;
    if (numbers !== undefined) return numbers;
    return picked === undefined
      ? this.members(block, from, to)
      : this.pickedMembers(block, from, to, picked);
  }

  /** Keys that differ in up to four bytes at their end. */
  private ints(
    block: StoredBlock,
    from: number,
    to: number,
    picked: Picked | undefined,
  ): Float64Array | undefined {
    const { bytes, prefixAt, prefixLength, stride, suffixesAt } = block;
    if (stride === 0 || stride > 4 || prefixLength + stride !== intKeyBytes) return undefined;
    let common = 0n;
    for (let i = intFrom; i < prefixLength; i++) {
      common = (common << 8n) | BigInt(bytes[prefixAt + i] as number);
    }
    const base = Number((common << BigInt(8 * stride)) - signBit);
    if (!Number.isSafeInteger(base) || !Number.isSafeInteger(base + 2 ** (8 * stride))) {
      return undefined;
    }
    const count = to - from;
    if (this.numbers.length < count) this.numbers = new Float64Array(Math.max(count, 1024));
    const out = this.numbers;
    const start = suffixesAt + from * stride;
    if (picked === undefined) {
      for (let i = 0, at = start; i < count; i++, at += stride) {
        out[i] = base + bigEndian(bytes, at, stride);
      }
    } else {
      for (let i = 0; i < picked.count; i++) {
        const row = picked.positions[i] as number;
        out[row] = base + bigEndian(bytes, start + row * stride, stride);
      }
    }
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

  /** The keys of the block have been started. */
  private memberAt(block: StoredBlock, slot: number): Scalar {
    const { column, keys, member } = this;
    keys.take(block, slot);
    let at = tupleFrom;
    for (let i = 0; i < member; i++) at = skipKeyMember(keys.key, at);
    return decodeKeyMember(keys.key, at, column.type, column.identifierFormat);
  }
}

/** Up to four bytes. */
function bigEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let k = 0; k < length; k++) value = (value << 8) | (bytes[at + k] as number);
  return value >>> 0;
}

/** Puts the keys of a block together, one at a time. */
export class SlotKeys {
  key: Uint8Array = nothing;

  /** To be called before the first `take` of a block. */
  start({ bytes, prefixAt, prefixLength }: StoredBlock): void {
    if (this.key.length < prefixLength) this.key = new Uint8Array(2 * prefixLength + 32);
    for (let i = 0; i < prefixLength; i++) this.key[i] = bytes[prefixAt + i] as number;
  }

  /** Makes `key` start with the key of `slot`; returns its length. */
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
