/** Entries of an index, as many as fit, in memory of their own: to be put in the order of their keys. */

import { compareRanges } from '#base';
import type { Entry } from '../mutate/index-entries.ts';
import { sorted } from '../mutate/key-order.ts';
import type { Writing } from '../mutate/writing.ts';
import type { Steps } from '../steps.ts';

/** Of a full run. */
export interface RunLimits {
  readonly entries: number;
  readonly bytes: number;
}

const usual: RunLimits = { entries: 1 << 18, bytes: 16 << 20 };

/** Of each entry: where its key begins, and where its key and its value end. */
const placesOfEntry = 3;
/** Bytes of a key that fit exactly into a number. */
const headBytes = 6;

export class EntryRun {
  count = 0;
  /** All keys begin with as many equal bytes. */
  private readonly prefixLength: number;
  private readonly limits: RunLimits;
  private bytes = new Uint8Array(64 << 10);
  private length = 0;
  private places = new Uint32Array(placesOfEntry << 10);
  /** What follows the prefix of each key, as a number: it settles nearly every comparison. */
  private heads = new Float64Array(1 << 10);

  constructor(prefixLength: number, limits: RunLimits = usual) {
    this.prefixLength = prefixLength;
    this.limits = limits;
  }

  get isFull(): boolean {
    return this.count >= this.limits.entries || this.length >= this.limits.bytes;
  }

  /** What the run takes of the process. */
  get heldBytes(): number {
    return this.bytes.length + this.places.byteLength + this.heads.byteLength;
  }

  /** Copies the entry. */
  add({ key, value }: Entry): void {
    const { count, length: keyFrom } = this;
    const keyTo = keyFrom + key.length;
    this.reserve(keyTo + value.length);
    this.bytes.set(key, keyFrom);
    this.bytes.set(value, keyTo);
    this.length = keyTo + value.length;
    const place = placesOfEntry * count;
    this.places[place] = keyFrom;
    this.places[place + 1] = keyTo;
    this.places[place + 2] = this.length;
    this.heads[count] = this.headOf(key);
    this.count++;
  }

  /** The numbers of the entries in the order of their keys. */
  order(writing: Writing): Steps<Uint32Array> {
    return sorted(writing, this.count, (left, right) => this.compare(left, right));
  }

  /** Views into the run, valid until it is cleared. */
  entry(at: number): Entry {
    const { bytes, places } = this;
    const place = placesOfEntry * at;
    const from = places[place] as number;
    const keyTo = places[place + 1] as number;
    const valueTo = places[place + 2] as number;
    return { key: bytes.subarray(from, keyTo), value: bytes.subarray(keyTo, valueTo) };
  }

  /** Whether the keys of two entries are equal. */
  isRepeated(left: number, right: number): boolean {
    return this.compare(left, right) === 0;
  }

  clear(): void {
    this.count = 0;
    this.length = 0;
  }

  private compare(left: number, right: number): number {
    const { heads, places, bytes, prefixLength } = this;
    const difference = (heads[left] as number) - (heads[right] as number);
    if (difference !== 0) return difference;
    const [l, r] = [placesOfEntry * left, placesOfEntry * right];
    const leftFrom = (places[l] as number) + prefixLength;
    const rightFrom = (places[r] as number) + prefixLength;
    const leftTo = places[l + 1] as number;
    return compareRanges(bytes, leftFrom, leftTo, bytes, rightFrom, places[r + 1] as number);
  }

  /** Bytes behind the end of the key count as zeros: what is equal then is compared as a whole. */
  private headOf(key: Uint8Array): number {
    let head = 0;
    for (let i = 0; i < headBytes; i++) head = head * 256 + (key[this.prefixLength + i] ?? 0);
    return head;
  }

  private reserve(length: number): void {
    if (length > this.bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.bytes.length));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    if (this.count < this.heads.length) return;
    const [places, heads] = [this.places, this.heads];
    this.places = new Uint32Array(2 * places.length);
    this.places.set(places);
    this.heads = new Float64Array(2 * heads.length);
    this.heads.set(heads);
  }
}
