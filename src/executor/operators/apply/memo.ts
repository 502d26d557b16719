/** The values of an inner plan by the registers that it ran with. Bounded: a full memo forgets everything, and one that nobody has used takes no more. */

import type { RegisterBinding } from '#planner';
import { ByteString, type Datum, type DatumType, type IdentityKey, identityPartOf } from '#value';
import { datumBytes } from '../../batch/datum-bytes.ts';
import { mapEntryBytes } from '../../batch/prices.ts';

const entriesMax = 4096;
const bytesMax = 4 * 2 ** 20;
/** A full memo is worth its while if at least one of so many entries has been found again. */
const entriesPerHit = 32;

export class Memo<V> {
  private readonly parts: readonly ((datum: Datum) => string)[];
  private readonly bindings: readonly RegisterBinding[];
  private readonly bytesMax: number;
  private readonly entries = new Map<IdentityKey, V>();
  /** Memory in use. */
  bytes = 0;
  /** Values found since the memo was empty. */
  private hits = 0;
  private isOff = false;

  private constructor(
    bindings: readonly RegisterBinding[],
    types: readonly DatumType[],
    share: number,
  ) {
    this.bindings = bindings;
    this.parts = types.map(identityPartOf);
    this.bytesMax = Math.min(bytesMax, share);
  }

  /** Undefined if an outer value is a row or an array, which is too long for a key. `share`: memory that it may take. */
  static of<V>(
    bindings: readonly RegisterBinding[],
    types: readonly DatumType[],
    share = bytesMax,
  ): Memo<V> | undefined {
    const isNested = types.some((type) => type.kind === 'row' || type.kind === 'array');
    return isNested ? undefined : new Memo(bindings, types, share);
  }

  /** Undefined if the value is not known. */
  recall(key: IdentityKey): V | undefined {
    const value = this.isOff ? undefined : this.entries.get(key);
    if (value !== undefined) this.hits++;
    return value;
  }

  /** Keeps a value of `size` bytes; returns the memory of values that the memo holds no longer, which may be this one. */
  remember(key: IdentityKey, value: V, size: number): number {
    if (this.isOff) return size;
    const bytes = mapEntryBytes + datumBytes(key) + size;
    const before = this.bytes;
    const isFull = this.entries.size >= entriesMax || before + bytes > this.bytesMax;
    if (isFull) {
      this.isOff = this.hits * entriesPerHit < this.entries.size;
      this.clear();
      if (this.isOff) return before + size;
    }
    this.entries.set(key, value);
    this.bytes += bytes;
    return isFull ? before : 0;
  }

  /** The memo begins anew. */
  forget(): void {
    this.isOff = false;
    this.clear();
  }

  /** Finer than identity: what can be told apart in a result (the sign of zero, the format of bytes) has keys of its own. */
  keyOf(registers: readonly Datum[]): IdentityKey {
    const { bindings } = this;
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

  private clear(): void {
    this.hits = 0;
    if (this.bytes === 0) return;
    this.entries.clear();
    this.bytes = 0;
  }
}
