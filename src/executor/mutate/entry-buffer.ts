/** Entries in memory of their own, key and value one behind the other, without an object for each: the transaction takes them where they lie. */

import { ByteWriter, compareRanges, type Steps } from '#base';
import { type SortedEntries, wordsOfEntry } from '#storage';
import type { Sequence } from '../batch/long-list.ts';
import { ownOrder, type Sorting, sorted } from './key-order.ts';
import type { Writing } from './writing.ts';

/** Of a full run. */
export interface RunLimits {
  readonly entries: number;
  /** What it takes of the process. */
  readonly bytes: number;
}

/** Entries of a second run have to find their places among those of the first. */
export const usualRun: RunLimits = { entries: 1 << 20, bytes: 64 << 20 };

/** Memory that grows is copied as a whole: beyond so much another piece is begun, with room for an entry behind it that is not unusually long. */
const pieceBytes = 1 << 20;
const pastPieceBytes = 64 << 10;
/** Copying a piece takes about as long as handling so many rows. */
const rowsOfPiece = 1 << 10;
const startBytes = 64 << 10;
const startBytesMax = 256 << 10;
const startEntries = 1 << 10;
/** Of an entry, before it is known how long it is. */
const startBytesOfEntry = 96;
/** Of expected entries: room for more is made when they come. */
const expectedMax = 1 << 14;
/** Bytes of a key that fit exactly into a number. */
const headBytes = 6;
/** Of a key: further bytes count only where the others leave two keys alike. */
const watchedBytes = 64;
const noHeads = new Float64Array(0);

/** Entries that are collected, put in order and handed to the transaction together. */
export class EntryBuffer {
  count = 0;
  /** Where entries are written, key and value one behind the other, and then `added`. */
  writer: ByteWriter;
  /** All keys begin with as many equal bytes. */
  private readonly prefixLength: number;
  private readonly limits: RunLimits;
  /** Pieces that are written, and how many bytes they take. */
  private pieces: Uint8Array[] = [];
  private bytesOfPieces = 0;
  private places: Uint32Array;
  /** Each key is above the one before it. */
  private isAscending = true;
  /** The first bytes of each key that are not alike in all of them, as a number: nearly every comparison is settled by it. Made when the run has to be sorted. */
  private heads = noHeads;
  /** By piece: its number in the transaction. */
  private handed: number[] = [];

  /** `entries`: how many are expected. */
  constructor(prefixLength: number, limits: RunLimits = usualRun, entries = startEntries) {
    this.prefixLength = prefixLength;
    this.limits = limits;
    const expected = Math.max(1, Math.min(entries, expectedMax));
    this.writer = new ByteWriter(Math.min(startBytesMax, expected * startBytesOfEntry));
    this.places = new Uint32Array(wordsOfEntry * expected);
  }

  get isFull(): boolean {
    return this.count >= this.limits.entries || this.heldBytes >= this.limits.bytes;
  }

  /** What the run takes of the process. */
  get heldBytes(): number {
    const { length } = this.writer.bytes;
    const heads = (this.places.length / wordsOfEntry) * 8;
    return this.bytesOfPieces + length + this.places.byteLength + heads;
  }

  /** What has been written since the entry before is an entry, whose key ends at `keyTo`. */
  added(keyTo: number): void {
    const { count, writer } = this;
    const at = wordsOfEntry * count;
    if (at === this.places.length) this.grow();
    const { places } = this;
    const piece = this.pieces.length;
    const isFirstOfPiece = count === 0 || places[at - wordsOfEntry] !== piece;
    const keyFrom = isFirstOfPiece ? 0 : (places[at - 1] as number);
    places[at] = piece;
    places[at + 1] = keyFrom;
    places[at + 2] = keyTo;
    places[at + 3] = writer.length;
    this.count = count + 1;
    if (this.isAscending && count > 0) this.isAscending = this.isAbove(count);
    if (writer.length >= pieceBytes) this.closePiece(pieceBytes + pastPieceBytes);
  }

  /** The numbers of the entries in the order of their keys. */
  *order(sorting: Sorting): Steps<Uint32Array> {
    if (this.isAscending) return ownOrder(this.count);
    yield* this.makeHeads(sorting);
    return yield* sorted(sorting, this.count, (left, right) => this.compare(left, right));
  }

  /** Where the piece of the entry lies. */
  bytesOf(at: number): Uint8Array {
    return this.pieces[this.places[wordsOfEntry * at] as number] ?? this.writer.bytes;
  }

  keyFrom(at: number): number {
    return this.places[wordsOfEntry * at + 1] as number;
  }

  keyTo(at: number): number {
    return this.places[wordsOfEntry * at + 2] as number;
  }

  /** A view, which stays valid only once no entry is added any more. */
  key(at: number): Uint8Array {
    return this.bytesOf(at).subarray(this.keyFrom(at), this.keyTo(at));
  }

  hasValue(at: number): boolean {
    return (this.places[wordsOfEntry * at + 3] as number) > this.keyTo(at);
  }

  /** The entries of `order` by themselves, to be taken over; nothing is added or read from then on. */
  handOut(order: Uint32Array): SortedEntries {
    this.closePiece(0);
    const { pieces, places } = this;
    return { pieces, places, order };
  }

  /** As `handOut`, of copies: the run can be read on. */
  *copyOut(order: Uint32Array, sorting: Sorting): Steps<SortedEntries> {
    this.closePiece(0);
    const copies: Uint8Array[] = [];
    for (const piece of this.pieces) {
      const pause = sorting.pause(rowsOfPiece);
      if (pause !== undefined) yield pause;
      copies.push(piece.slice());
    }
    return { pieces: copies, places: this.places.slice(0, wordsOfEntry * this.count), order };
  }

  /** A view of the value. */
  value(at: number): Uint8Array {
    const keyTo = this.keyTo(at);
    return this.bytesOf(at).subarray(keyTo, this.places[wordsOfEntry * at + 3] as number);
  }

  /** Hands the memory of all entries to the transaction, before the first of them is put; nothing is added from then on. */
  handOver({ transaction }: Writing): void {
    this.closePiece(0);
    this.handed = this.pieces.map((piece) => transaction.own(piece));
  }

  /** Writes the entry, which has been handed over. */
  put(at: number, writing: Writing): void {
    const { places } = this;
    const place = wordsOfEntry * at;
    writing.putOwned(
      this.handed[places[place] as number] as number,
      places[place + 1] as number,
      places[place + 2] as number,
      places[place + 3] as number,
    );
  }

  /** Whether the keys of two entries are equal, of a run that has been ordered. */
  isRepeated(left: number, right: number): boolean {
    return !this.isAscending && this.compare(left, right) === 0;
  }

  /** The keys by number, as views: once no entry is added any more. */
  get keys(): Sequence<Uint8Array> {
    return {
      length: this.count,
      at: (index) => (index < this.count ? this.key(index) : undefined),
      slice: (from, to) => {
        const keys: Uint8Array[] = [];
        for (let i = from; i < Math.min(to, this.count); i++) keys.push(this.key(i));
        return keys;
      },
    };
  }

  /** Leaves what was written to its transaction. */
  clear(): void {
    this.count = 0;
    this.writer = new ByteWriter(startBytes);
    this.pieces = [];
    this.bytesOfPieces = 0;
    this.places = new Uint32Array(wordsOfEntry * startEntries);
    this.heads = noHeads;
    this.handed = [];
    this.isAscending = true;
  }

  private compare(left: number, right: number): number {
    const { heads, prefixLength } = this;
    const difference = (heads[left] as number) - (heads[right] as number);
    if (difference !== 0) return difference;
    return compareRanges(
      this.bytesOf(left),
      this.keyFrom(left) + prefixLength,
      this.keyTo(left),
      this.bytesOf(right),
      this.keyFrom(right) + prefixLength,
      this.keyTo(right),
    );
  }

  /** Whether the key of the last entry, which is number `at`, is above the one before it. */
  private isAbove(at: number): boolean {
    const { bytes } = this.writer;
    const from = this.keyFrom(at);
    const before = this.bytesOf(at - 1);
    const { prefixLength } = this;
    return (
      compareRanges(
        before,
        this.keyFrom(at - 1) + prefixLength,
        this.keyTo(at - 1),
        bytes,
        from + prefixLength,
        this.keyTo(at),
      ) < 0
    );
  }

  /** The places in a key that order the keys: those in which not all have the same byte. At most as many as a head has. */
  private *countedPlaces(sorting: Sorting): Steps<readonly number[]> {
    const varies = new Uint8Array(watchedBytes);
    const first = this.key(0);
    for (let at = 1; at < this.count; at++) {
      const pause = sorting.pause();
      if (pause !== undefined) yield pause;
      const bytes = this.bytesOf(at);
      const from = this.keyFrom(at);
      const length = this.keyTo(at) - from;
      const end = Math.min(length, first.length, watchedBytes);
      for (let i = this.prefixLength; i < end; i++) {
        if (bytes[from + i] !== first[i]) varies[i] = 1;
      }
      if (length !== first.length) varies.fill(1, end);
    }
    const counted: number[] = [];
    for (let i = this.prefixLength; i < watchedBytes && counted.length < headBytes; i++) {
      if (varies[i] === 1) counted.push(i);
    }
    return counted;
  }

  private *makeHeads(sorting: Sorting): Steps<void> {
    const counted = yield* this.countedPlaces(sorting);
    const heads = new Float64Array(this.count);
    for (let at = 0; at < this.count; at++) {
      const pause = sorting.pause();
      if (pause !== undefined) yield pause;
      const bytes = this.bytesOf(at);
      const from = this.keyFrom(at);
      const length = this.keyTo(at) - from;
      let head = 0;
      for (let i = 0; i < counted.length; i++) {
        const place = counted[i] as number;
        // Bytes behind the end of the key count as zeros: what is equal then is compared as a whole.
        head = head * 256 + (place < length ? (bytes[from + place] as number) : 0);
      }
      heads[at] = head;
    }
    this.heads = heads;
  }

  private grow(): void {
    const grown = new Uint32Array(2 * this.places.length);
    grown.set(this.places);
    this.places = grown;
  }

  /** The next entry is written into another piece, with room for so many bytes. */
  private closePiece(nextBytes: number): void {
    this.pieces.push(this.writer.bytes);
    this.bytesOfPieces += this.writer.bytes.length;
    this.writer = new ByteWriter(nextBytes);
  }
}
