/** What a crossing gave for which register values; bounded, so that it forgets everything now and then. */

import type { RegisterBinding } from '#planner';
import { ByteString, type Datum, type DatumType, type IdentityKey, identityPartOf } from '#value';
import { datumBytes } from '../../batch/datum-bytes.ts';
import { mapEntryBytes } from '../../batch/prices.ts';

const entriesMax = 4096;
const bytesMax = 4 * 2 ** 20;

export class Memo {
  private readonly parts: readonly ((datum: Datum) => string)[];
  private readonly entries = new Map<IdentityKey, Datum>();
  /** Memory in use. */
  bytes = 0;
  private key: IdentityKey = null;

  private constructor(types: readonly DatumType[]) {
    this.parts = types.map(identityPartOf);
  }

  /** Rows and arrays are too long to be keys: no memo for them. */
  static of(types: readonly DatumType[]): Memo | undefined {
    const isNested = types.some((type) => type.kind === 'row' || type.kind === 'array');
    return isNested ? undefined : new Memo(types);
  }

  /** The value for these registers, undefined when it is not known. Prepares `remember`. */
  recall(bindings: readonly RegisterBinding[], registers: readonly Datum[]): Datum | undefined {
    this.key = this.keyOf(bindings, registers);
    return this.entries.get(this.key);
  }

  /** Keeps the value for the registers of the last `recall`; returns the memory of what had to be forgotten for it. */
  remember(value: Datum): number {
    const bytes = mapEntryBytes + datumBytes(this.key) + datumBytes(value);
    const before = this.bytes;
    const isFull = this.entries.size >= entriesMax || before + bytes > bytesMax;
    if (isFull) this.clear();
    this.entries.set(this.key, value);
    this.bytes += bytes;
    return isFull ? before : 0;
  }

  clear(): void {
    if (this.bytes === 0) return;
    this.entries.clear();
    this.bytes = 0;
  }

  /** Finer than identity: what can be told apart in a result (the sign of zero, the format of bytes) has keys of its own. */
  private keyOf(bindings: readonly RegisterBinding[], registers: readonly Datum[]): IdentityKey {
    if (bindings.length === 1) {
      const value = registers[(bindings[0] as RegisterBinding).register] as Datum;
      // NULL as a part would look like the text `n`.
      if (value === null || typeof value === 'string') return value;
      if (typeof value === 'number' && value !== 0) return value;
    }
    let key = '';
    for (let i = 0; i < bindings.length; i++) {
      const value = registers[(bindings[i] as RegisterBinding).register] as Datum;
      key += (this.parts[i] as (datum: Datum) => string)(value);
      // No piece starts with one of these marks, so they end no piece early.
      if (Object.is(value, -0)) key += 'z';
      if (value instanceof ByteString && value.format !== undefined) key += value.format;
    }
    return key;
  }
}
