/** A Bloom filter of rows: a row that it does not contain has certainly not been added. */

import { batchRowsMax, type Selection, type Vector } from '../batch/vector.ts';
import { hashKeys } from './key-hash.ts';

const hashCount = 3;
/** Seeds that no level of partitions uses. */
const seeds = [101, 102] as const;

export class RowFilter {
  private readonly bits: Uint8Array;
  private readonly first = new Uint32Array(batchRowsMax);
  private readonly second = new Uint32Array(batchRowsMax);

  /** The number of `bytes` is a power of two. */
  constructor(bytes: number) {
    this.bits = new Uint8Array(bytes);
  }

  get bytes(): number {
    return this.bits.length;
  }

  add(columns: readonly Vector[], selection: Selection, count: number): void {
    this.hash(columns, selection, count);
    for (let i = 0; i < count; i++) {
      for (let h = 0; h < hashCount; h++) {
        const bit = this.bitOf(selection[i] as number, h);
        this.bits[bit >>> 3] = (this.bits[bit >>> 3] as number) | (1 << (bit & 7));
      }
    }
  }

  /** Returns whether at least one selected row may have been added. */
  mayHaveAny(columns: readonly Vector[], selection: Selection, count: number): boolean {
    this.hash(columns, selection, count);
    for (let i = 0; i < count; i++) {
      if (this.mayHave(selection[i] as number)) return true;
    }
    return false;
  }

  private mayHave(row: number): boolean {
    for (let h = 0; h < hashCount; h++) {
      const bit = this.bitOf(row, h);
      if (((this.bits[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }

  private hash(columns: readonly Vector[], selection: Selection, count: number): void {
    hashKeys(columns, selection, count, seeds[0], this.first);
    hashKeys(columns, selection, count, seeds[1], this.second);
  }

  private bitOf(row: number, h: number): number {
    const hash = (this.first[row] as number) + h * (this.second[row] as number);
    return hash % (this.bits.length * 8);
  }
}
