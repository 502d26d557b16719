/** Numbers the distinct values of one column by row identity (lir.md §2.2), in their order of arrival. */

import { type Datum, type DatumType, datumKeyOf, type IdentityKey } from '#value';
import { datumBytes } from './datum-bytes.ts';
import { IdentityCodes } from './identity-codes.ts';
import { IntCodes } from './int-codes.ts';
import { mapEntryBytes } from './prices.ts';
import type { Selection, Vector } from './vector.ts';

export class ValueCodes {
  size = 0;
  private readonly isInt: boolean;
  private readonly keyOf: (value: Datum) => IdentityKey;
  private readonly nullMatches: boolean;
  private readonly ints = new IntCodes();
  private readonly others = new IdentityCodes();
  /** Of rows and arrays that many rows share: their keys are long. */
  private readonly shared: WeakMap<object, number> | undefined;
  /** Of the keys, their entries not counted. */
  private keyBytes = 0;

  /** Without `nullMatches` a NULL has no code (-1), as in an equality. */
  constructor(type: DatumType, nullMatches: boolean) {
    this.isInt = type.kind === 'int64';
    this.keyOf = datumKeyOf(type);
    this.nullMatches = nullMatches;
    const isNested = type.kind === 'row' || type.kind === 'array';
    this.shared = isNested ? new WeakMap() : undefined;
  }

  get bytes(): number {
    return this.ints.bytes + this.others.size * mapEntryBytes + this.keyBytes;
  }

  /** Writes to `out[row]` the code of each selected row's value; new values get the next codes. */
  insert(values: Vector, selection: Selection, count: number, out: Int32Array): void {
    const { ints, isInt } = this;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as Datum;
      if (isInt && typeof value === 'number') {
        const code = ints.findOrAdd(value, this.size);
        if (code === this.size) this.size++;
        out[row] = code;
      } else {
        out[row] = this.insertOther(value);
      }
    }
  }

  /** Writes to `out[row]` the code of each selected row's value, -1 where it has none. */
  find(values: Vector, selection: Selection, count: number, out: Int32Array): void {
    const { ints, isInt } = this;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as Datum;
      if (isInt && typeof value === 'number') out[row] = ints.find(value);
      else out[row] = this.findOther(value);
    }
  }

  private insertOther(value: Datum): number {
    if (value === null && !this.nullMatches) return -1;
    const known = this.shared?.get(value as object);
    if (known !== undefined) return known;
    const key = this.keyOf(value);
    const code = this.others.get(key) ?? this.add(key);
    if (value !== null) this.shared?.set(value as object, code);
    return code;
  }

  private add(key: IdentityKey): number {
    this.keyBytes += datumBytes(key);
    this.others.add(key, this.size);
    return this.size++;
  }

  private findOther(value: Datum): number {
    if (value === null && !this.nullMatches) return -1;
    const known = this.shared?.get(value as object);
    return known ?? this.others.get(this.keyOf(value)) ?? -1;
  }
}
