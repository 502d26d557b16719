/**
 * A memo of the values of an inner plan by the registers of the run. The size is bounded: a full memo is cleared, and is switched off if too few
 * of its values were used again.
 */

import type { RegisterBinding } from '#planner';
import { ByteString, type Datum, type DatumType, type IdentityKey, identityPartOf } from '#value';
import { datumBytes } from '../../batch/datum-bytes.ts';
import { mapEntryBytes } from '../../batch/memory-costs.ts';

const entriesMax = 4096;
const bytesMax = 4 * 2 ** 20;
/** A full memo stays on if it had at least one hit per this many entries. */
const entriesPerHit = 32;

export class Memo<V> {
  private readonly parts: readonly ((datum: Datum) => string)[];
  private readonly bindings: readonly RegisterBinding[];
  private readonly bytesMax: number;
  private readonly entries = new Map<IdentityKey, V>();
  /** Bytes of memory in use. */
  bytes = 0;
  /** Number of values found since the memo was empty. */
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

  /** Returns undefined if an outer value is a row or an array, which is too long for a key. `share` is the number of bytes that the memo may use. */
  static of<V>(
    bindings: readonly RegisterBinding[],
    types: readonly DatumType[],
    share = bytesMax,
  ): Memo<V> | undefined {
    const isNested = types.some((type) => type.kind === 'row' || type.kind === 'array');
    return isNested ? undefined : new Memo(bindings, types, share);
  }

  /** Returns the value of a key; `undefined` if the memo does not contain it. */
  recall(key: IdentityKey): V | undefined {
    const value = this.isOff ? undefined : this.entries.get(key);
    if (value !== undefined) this.hits++;
    return value;
  }

  /**
   * Stores a value of `size` bytes. Returns the bytes of values that the memo does not contain any more, or never stored: the caller then has to
   * account them.
   */
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

  /** Clears the memo and switches it on again. */
  forget(): void {
    this.isOff = false;
    this.clear();
  }

  /**
   * Returns a key that is finer than identity: values that a result distinguishes (by the sign of zero, by the format of bytes) have different
   * keys.
   */
  keyOf(registers: readonly Datum[]): IdentityKey {
    const { bindings } = this;
    if (bindings.length === 1) {
      const value = registers[(bindings[0] as RegisterBinding).register] as Datum;
      // NULL encoded as a part would equal the text `n`.
      if (value === null || typeof value === 'string') return value;
      if (typeof value === 'number' && value !== 0) return value;
    }
    let key = '';
    for (let i = 0; i < bindings.length; i++) {
      const value = registers[(bindings[i] as RegisterBinding).register] as Datum;
      key += (this.parts[i] as (datum: Datum) => string)(value);
      // No part starts with one of these marks, so that they cannot be taken for a part.
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
