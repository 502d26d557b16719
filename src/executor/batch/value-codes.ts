/** Numbers the distinct values of one column by row identity (docs/lir.md §2), in their order of arrival. */

import { type Datum, type DatumType, datumKeyOf, type IdentityKey, type Row } from '#value';
import { datumBytes } from './datum-bytes.ts';
import { IdentityCodes } from './identity-codes.ts';
import { IntCodes } from './int-codes.ts';
import { knownRows } from './int-lookups.ts';
import { mapEntryBytes } from './memory-costs.ts';
import { type MemberCodes, NestedFamily } from './nested-codes.ts';
import { RecentTexts } from './recent-texts.ts';
import { SourceMemo, sourcedColumn, sourcedValue, type ValueSource } from './value-source.ts';
import { type Datums, Scratch, type Selection, type Vector } from './vector.ts';

export class ValueCodes implements MemberCodes {
  size = 0;
  private readonly isInt: boolean;
  private readonly keyOf: (value: Datum) => IdentityKey;
  private readonly nullMatches: boolean;
  private readonly ownsFamily: boolean = false;
  private readonly ints = new IntCodes();
  private readonly others = new IdentityCodes();
  private readonly recent = new RecentTexts();
  /** The code + 1 of each value of a source, by its number + 1. */
  private readonly sourced = new SourceMemo();
  private readonly gathered: Datums = [];
  private readonly fresh = new Scratch();
  private readonly family: NestedFamily | undefined;
  /** Returns numbers of rows and arrays, which `ints` numbers again in their order of arrival. */
  private readonly nested: ((value: Datum, adds: boolean) => number) | undefined;
  /** Bytes of the keys, without their entries. */
  private keyBytes = 0;

  /** Without `nullMatches`, a NULL has no code (-1), as in an equality. */
  constructor(type: DatumType, nullMatches: boolean, family?: NestedFamily) {
    this.isInt = type.kind === 'int64';
    this.nullMatches = nullMatches;
    if (type.kind !== 'row' && type.kind !== 'array') {
      this.keyOf = datumKeyOf(type);
      return;
    }
    this.keyOf = () => null;
    this.family = family ?? new NestedFamily((member, own) => new ValueCodes(member, true, own));
    this.ownsFamily = family === undefined;
    const codes = this.family.rowCodes(type.columns);
    const isArray = type.kind === 'array';
    this.nested = (value, adds) => codes.codeOf(value as Row, isArray, adds);
  }

  get bytes(): number {
    const nested = this.ownsFamily ? (this.family as NestedFamily).bytes : 0;
    return this.ownBytes + nested;
  }

  /** Bytes without those of `family`, which may be shared. */
  get ownBytes(): number {
    return this.ints.bytes + this.others.size * mapEntryBytes + this.keyBytes + this.sourced.bytes;
  }

  /** Returns the code of one value, or -1 if it has none. */
  codeOf(value: Datum, adds: boolean): number {
    if (!this.isInt || typeof value !== 'number') {
      return adds ? this.insertOther(value) : this.findOther(value);
    }
    if (!adds) return this.ints.find(value);
    return this.addInt(value);
  }

  /** Writes to `out[row]` the code of each selected row's value; new values get the next codes. */
  insert(
    values: Vector,
    selection: Selection,
    count: number,
    out: Int32Array,
    source?: ValueSource,
  ): void {
    const { isInt } = this;
    if (source !== undefined && (!isInt || source.values !== undefined)) {
      this.insertSourced(values, selection, count, out, source);
      return;
    }
    this.insertValues(values, selection, count, out);
  }

  private insertValues(values: Vector, selection: Selection, count: number, out: Int32Array): void {
    const { isInt } = this;
    if (isInt && values instanceof Float64Array) {
      for (let i = 0; i < count; i++) {
        const row = selection[i] as number;
        out[row] = this.addInt(values[row] as number);
      }
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as Datum;
      if (typeof value === 'string') {
        out[row] = this.recent.codeOf(value) ?? this.recent.note(value, this.insertOther(value));
      } else if (isInt && typeof value === 'number') {
        out[row] = this.addInt(value);
      } else {
        out[row] = this.insertOther(value);
      }
    }
  }

  /** Writes to `out[row]` the code of each selected row's value, or -1 if it has none. */
  find(values: Vector, selection: Selection, count: number, out: Int32Array): void {
    const { ints, isInt } = this;
    if (isInt && values instanceof Float64Array) {
      ints.findAll(values, selection, count, out);
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as Datum;
      if (isInt && typeof value === 'number') out[row] = ints.find(value);
      else out[row] = this.findOther(value);
    }
  }

  /** Bytes of the filter that `addFilter` creates, which `bytes` does not contain. */
  get filterBytes(): number {
    return this.isInt ? this.ints.filterBytes : 0;
  }

  /** Like `IntCodes.addFilter`. */
  addFilter(): void {
    if (this.isInt) this.ints.addFilter();
  }

  /** Like `IntCodes.findKnown`. */
  findKnown(
    values: Vector,
    selection: Selection,
    count: number,
    out: Int32Array,
    found: Uint32Array,
  ): number {
    if (this.isInt && values instanceof Float64Array) {
      return this.ints.findKnown(values, selection, count, out, found);
    }
    this.find(values, selection, count, out);
    return knownRows(selection, count, out, found);
  }

  private insertSourced(
    values: Vector,
    selection: Selection,
    count: number,
    out: Int32Array,
    source: ValueSource,
  ): void {
    // The code + 1 of each value that occurred before, else 0, by its number + 1. NULL without a code is looked up each time.
    const known = this.sourced.of(source, count);
    if (known === undefined) {
      const column = sourcedColumn(values, source, selection, count, this.gathered);
      this.insertValues(column, selection, count, out);
      return;
    }
    const fresh = this.fresh.take(count);
    const freshCount = knownCodes(source.numbers, known, selection, count, out, fresh);
    for (let i = 0; i < freshCount; i++) {
      const row = fresh[i] as number;
      const number = source.numbers[row] as number;
      // An earlier row may have had the same value.
      if (known[number + 1] === 0) {
        known[number + 1] = this.codeOf(sourcedValue(values, source, row), true) + 1;
      }
      out[row] = (known[number + 1] as number) - 1;
    }
  }

  private insertOther(value: Datum): number {
    if (value === null && !this.nullMatches) return -1;
    if (this.nested !== undefined && value !== null) return this.addInt(this.nested(value, true));
    const key = this.keyOf(value);
    return this.others.get(key) ?? this.add(key);
  }

  private addInt(value: number): number {
    const code = this.ints.findOrAdd(value, this.size);
    if (code === this.size) this.size++;
    return code;
  }

  private add(key: IdentityKey): number {
    this.keyBytes += datumBytes(key);
    this.others.add(key, this.size);
    return this.size++;
  }

  private findOther(value: Datum): number {
    if (value === null && !this.nullMatches) return -1;
    if (this.nested === undefined || value === null) {
      return this.others.get(this.keyOf(value)) ?? -1;
    }
    const number = this.nested(value, false);
    return number < 0 ? -1 : this.ints.find(number);
  }
}

/** Writes to `out[row]` the code of each selected row, or -1 if its value has none yet; those rows also to `fresh`. Returns their number. */
function knownCodes(
  numbers: ValueSource['numbers'],
  known: Int32Array,
  selection: Selection,
  count: number,
  out: Int32Array,
  fresh: Uint32Array,
): number {
  let rows = 0;
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const next = known[((numbers[row] as number) + 1) | 0] as number;
    out[row] = (next - 1) | 0;
    if (next === 0) fresh[rows++] = row;
  }
  return rows;
}
