/**
 * Numbers the distinct keys of one or more columns 0, 1, 2, … in their order of arrival. Each column numbers its own values. Two numbers form one
 * exact integer, which a second table numbers again: no key is ever copied or joined into a string.
 */

import type { DatumType } from '#value';
import { IntCodes } from './int-codes.ts';
import { knownRows } from './int-lookups.ts';
import { codesMax, refuseAbove } from './pair.ts';
import { ValueCodes } from './value-codes.ts';
import type { ValueSource } from './value-source.ts';
import type { Selection, Vector } from './vector.ts';

const noSources: readonly undefined[] = [];

export class KeyTable {
  /** Number of distinct keys so far. */
  size = 0;
  private readonly columns: readonly ValueCodes[];
  private readonly pairs: readonly IntCodes[];
  private readonly codesMax: number;
  private codes = new Int32Array(0);

  /** Without `nullMatches`, a key with a NULL member equals no key, and its number is -1. */
  constructor(types: readonly DatumType[], nullMatches: boolean, codesBound = codesMax) {
    this.codesMax = codesBound;
    this.columns = types.map((type) => new ValueCodes(type, nullMatches));
    this.pairs = types.slice(1).map(() => new IntCodes());
  }

  get bytes(): number {
    let bytes = 0;
    for (const column of this.columns) bytes += column.bytes;
    for (const pair of this.pairs) bytes += pair.bytes;
    return bytes;
  }

  /**
   * Writes to `out[row]` the number of each selected row's key. New keys are numbered in row order, from the old `size` on. Throws `memory_limit`
   * if there are more values than pairs can distinguish.
   */
  insert(
    keys: readonly Vector[],
    selection: Selection,
    count: number,
    out: Int32Array,
    sources: readonly (ValueSource | undefined)[] = noSources,
  ): void {
    const first = this.columns[0];
    if (first === undefined) {
      if (count > 0) this.size = 1;
      fill(selection, count, out, 0);
      return;
    }
    first.insert(keys[0] as Vector, selection, count, out, sources[0]);
    this.size = first.size;
    for (let c = 1; c < this.columns.length; c++) {
      const codes = this.codesFor(out.length);
      (this.columns[c] as ValueCodes).insert(
        keys[c] as Vector,
        selection,
        count,
        codes,
        sources[c],
      );
      refuseAbove((this.columns[c] as ValueCodes).size, this.codesMax);
      refuseAbove(this.size, this.codesMax * 2);
      this.size = insertPairs(this.pairs[c - 1] as IntCodes, selection, count, out, codes);
    }
  }

  /** Writes to `out[row]` the number of each selected row's key, or -1 if it has none. */
  find(keys: readonly Vector[], selection: Selection, count: number, out: Int32Array): void {
    const first = this.columns[0];
    if (first === undefined) {
      fill(selection, count, out, this.size - 1);
      return;
    }
    first.find(keys[0] as Vector, selection, count, out);
    for (let c = 1; c < this.columns.length; c++) {
      const codes = this.codesFor(out.length);
      (this.columns[c] as ValueCodes).find(keys[c] as Vector, selection, count, codes);
      findPairs(this.pairs[c - 1] as IntCodes, selection, count, out, codes);
    }
  }

  /**
   * Writes to `out[row]` the number of each selected row whose key has one, and these rows to `found`. Returns their number. If every selected row
   * has one, `found` has any contents.
   */
  findKnown(
    keys: readonly Vector[],
    selection: Selection,
    count: number,
    out: Int32Array,
    found: Uint32Array,
  ): number {
    const [first] = this.columns;
    if (first !== undefined && this.columns.length === 1) {
      return first.findKnown(keys[0] as Vector, selection, count, out, found);
    }
    this.find(keys, selection, count, out);
    return knownRows(selection, count, out, found);
  }

  /** Bytes of the filter that `addFilter` creates, which `bytes` does not contain. */
  get filterBytes(): number {
    return this.columns.length === 1 ? (this.columns[0] as ValueCodes).filterBytes : 0;
  }

  /** Makes later calls of `findKnown` faster, if a filter of the keys pays. The filter is lost with the next new key. */
  addFilter(): void {
    if (this.columns.length === 1) (this.columns[0] as ValueCodes).addFilter();
  }

  private codesFor(capacity: number): Int32Array {
    if (this.codes.length < capacity) this.codes = new Int32Array(capacity);
    return this.codes;
  }
}

function fill(selection: Selection, count: number, out: Int32Array, value: number): void {
  for (let i = 0; i < count; i++) out[selection[i] as number] = value;
}

function insertPairs(
  table: IntCodes,
  selection: Selection,
  count: number,
  out: Int32Array,
  codes: Int32Array,
): number {
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const left = out[row] as number;
    const right = codes[row] as number;
    out[row] = left < 0 || right < 0 ? -1 : table.findOrAdd(left * codesMax + right, table.size);
  }
  return table.size;
}

function findPairs(
  table: IntCodes,
  selection: Selection,
  count: number,
  out: Int32Array,
  codes: Int32Array,
): void {
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const left = out[row] as number;
    const right = codes[row] as number;
    out[row] = left < 0 || right < 0 ? -1 : table.find(left * codesMax + right);
  }
}
