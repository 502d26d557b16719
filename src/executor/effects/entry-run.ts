/** Entries of an index, as many as fit, in memory of their own: to be put in the order of their keys. */

import { ByteWriter, compareRanges } from '#base';
import { sorted } from '../mutate/key-order.ts';
import type { Writing } from '../mutate/writing.ts';
import type { Steps } from '../steps.ts';

/** Of a full run. */
export interface RunLimits {
  readonly entries: number;
  /** What it takes of the process. */
  readonly bytes: number;
}

/** Entries of a second run have to find their places among those of the first. */
const usual: RunLimits = { entries: 1 << 20, bytes: 64 << 20 };

/** Of each entry: where its key begins, and where its key and its value end. */
const placesOfEntry = 3;
/** Bytes of a key that fit exactly into a number. */
const headBytes = 6;
const startBytes = 64 << 10;
const startEntries = 1 << 10;
/** Of a key: further bytes count only where the others leave two keys alike. */
const watchedBytes = 64;

export class EntryRun {
  count = 0;
  /** All keys begin with as many equal bytes. */
  private readonly prefixLength: number;
  /** By place in a key: 1 where some key has another byte than the first one. What is alike in all of them does not order them. */
  private readonly varies = new Uint8Array(watchedBytes);
  private readonly limits: RunLimits;
  /** Where entries are written, key and value one behind the other, and then `added`. */
  writer = new ByteWriter(startBytes);
  private places = new Uint32Array(placesOfEntry * startEntries);
  /** The first bytes of each key that are not alike in all of them, as a number: nearly every comparison is settled by it. Made when the run is ordered. */
  private heads = new Float64Array(startEntries);

  constructor(prefixLength: number, limits: RunLimits = usual) {
    this.prefixLength = prefixLength;
    this.limits = limits;
  }

  get isFull(): boolean {
    return this.count >= this.limits.entries || this.heldBytes >= this.limits.bytes;
  }

  /** What the run takes of the process. */
  get heldBytes(): number {
    return this.writer.bytes.length + this.places.byteLength + this.heads.byteLength;
  }

  /** What has been written since the entry before is an entry, whose key ends at `keyTo`. */
  added(keyTo: number): void {
    const { count } = this;
    if (count === this.heads.length) this.grow();
    const place = placesOfEntry * count;
    const keyFrom = count === 0 ? 0 : (this.places[place - 1] as number);
    this.places[place] = keyFrom;
    this.places[place + 1] = keyTo;
    this.places[place + 2] = this.writer.length;
    this.watch(keyFrom, keyTo);
    this.count++;
  }

  /** The numbers of the entries in the order of their keys. */
  *order(writing: Writing): Steps<Uint32Array> {
    yield* this.makeHeads(writing);
    return yield* sorted(writing, this.count, (left, right) => this.compare(left, right));
  }

  key(at: number): Uint8Array {
    const place = placesOfEntry * at;
    return this.writer.bytes.subarray(this.places[place], this.places[place + 1]);
  }

  hasValue(at: number): boolean {
    const place = placesOfEntry * at;
    return (this.places[place + 2] as number) > (this.places[place + 1] as number);
  }

  /** Writes the entry, which is of the transaction from then on. */
  put(at: number, writing: Writing): void {
    const { writer, places } = this;
    const place = placesOfEntry * at;
    const from = places[place] as number;
    writing.putOwned(writer.bytes, from, places[place + 1] as number, places[place + 2] as number);
  }

  /** Whether the keys of two entries are equal. */
  isRepeated(left: number, right: number): boolean {
    return this.compare(left, right) === 0;
  }

  /** Leaves what was written to its transaction. */
  clear(): void {
    this.count = 0;
    this.writer = new ByteWriter(startBytes);
    this.places = new Uint32Array(placesOfEntry * startEntries);
    this.heads = new Float64Array(startEntries);
    this.varies.fill(0);
  }

  private compare(left: number, right: number): number {
    const { heads, places, prefixLength } = this;
    const { bytes } = this.writer;
    const difference = (heads[left] as number) - (heads[right] as number);
    if (difference !== 0) return difference;
    const [l, r] = [placesOfEntry * left, placesOfEntry * right];
    const leftFrom = (places[l] as number) + prefixLength;
    const rightFrom = (places[r] as number) + prefixLength;
    const leftTo = places[l + 1] as number;
    return compareRanges(bytes, leftFrom, leftTo, bytes, rightFrom, places[r + 1] as number);
  }

  /** Notes where the key differs from the first one, which lies at the start. */
  private watch(keyFrom: number, keyTo: number): void {
    const { varies } = this;
    const { bytes } = this.writer;
    const length = keyTo - keyFrom;
    const firstLength = this.places[1] as number;
    const end = Math.min(length, firstLength, watchedBytes);
    for (let i = this.prefixLength; i < end; i++) {
      if (bytes[keyFrom + i] !== bytes[i]) varies[i] = 1;
    }
    if (length !== firstLength) varies.fill(1, end);
  }

  private *makeHeads(writing: Writing): Steps<void> {
    const { places, heads } = this;
    const { bytes } = this.writer;
    const counted: number[] = [];
    for (let i = this.prefixLength; i < watchedBytes && counted.length < headBytes; i++) {
      if (this.varies[i] === 1) counted.push(i);
    }
    for (let at = 0; at < this.count; at++) {
      const pause = writing.pause();
      if (pause !== undefined) yield pause;
      const from = places[placesOfEntry * at] as number;
      const length = (places[placesOfEntry * at + 1] as number) - from;
      let head = 0;
      for (let i = 0; i < counted.length; i++) {
        const place = counted[i] as number;
        // Bytes behind the end of the key count as zeros: what is equal then is compared as a whole.
        head = head * 256 + (place < length ? (bytes[from + place] as number) : 0);
      }
      heads[at] = head;
    }
  }

  private grow(): void {
    const [places, heads] = [this.places, this.heads];
    this.places = new Uint32Array(2 * places.length);
    this.places.set(places);
    this.heads = new Float64Array(2 * heads.length);
    this.heads.set(heads);
  }
}
