/** A buffer of entries, each a key followed by its value, without one object per entry. The transaction takes the buffer over without copying. */

import { ByteWriter, compareRanges, type Steps } from '#base';
import { type SortedEntries, wordsOfEntry } from '#storage';
import type { Sequence } from '../batch/long-list.ts';
import type { EntryRun } from './entry-run.ts';
import { headBytes, highBytes, inSteps, newHeads, sortedByHead } from './head-sort.ts';
import { ownOrder, type Sorting } from './key-order.ts';
import type { MutationContext } from './mutation-context.ts';

/** The size at which a buffer is full. */
export interface RunLimits {
  readonly entries: number;
  /** Bytes of memory of the process. */
  readonly bytes: number;
}

/** Limits that keep most runs in one buffer: entries of a second run have to be inserted among those of the first. */
export const usualRun: RunLimits = { entries: 1 << 20, bytes: 64 << 20 };

/**
 * Size at which a piece is closed: memory that grows is copied as a whole. A new piece has capacity for one more entry of common length
 * (`pastPieceBytes`).
 */
const pieceBytes = 1 << 20;
const pastPieceBytes = 64 << 10;
/** Copying a piece takes about as long as processing this many rows. */
const rowsOfPiece = 1 << 10;
const startBytesMax = 256 << 10;
const startEntries = 1 << 10;
/** Estimated bytes of an entry before the first one is written. */
const startBytesOfEntry = 96;
/** Maximum number of entries for which memory is allocated in advance. */
const expectedMax = 1 << 14;
/** Number of key bytes that may be part of a head; later bytes are compared only if the heads are equal. */
const watchedBytes = 64;
/** Maximum number of entries that are written between two pauses, and of their bytes on average. */
const stepEntries = 64;
const stepBytes = 64 << 10;
const noHeads = newHeads(0);

/** Collects entries, sorts them and hands them to the transaction together. */
export class EntryBuffer {
  count = 0;
  /** Receives the bytes of an entry, its key followed by its value, before a call of `added`. */
  writer: ByteWriter;
  /** Number of equal bytes with which all keys begin. */
  private readonly prefixLength: number;
  private readonly limits: RunLimits;
  private readonly expected: number;
  /** Closed pieces, and their total bytes. */
  private pieces: Uint8Array[] = [];
  private bytesOfPieces = 0;
  private places: Uint32Array;
  /** Whether each key is greater than the one before it. */
  private isAscending = true;
  /**
   * The first bytes of each key that differ among the keys, which decide nearly every comparison. They are computed if the run has to be sorted.
   */
  private heads = noHeads;
  /** The number of each piece in the transaction. */
  private handed: number[] = [];

  /** `entries` is the expected number of entries. */
  constructor(prefixLength: number, limits: RunLimits = usualRun, entries = startEntries) {
    this.prefixLength = prefixLength;
    this.limits = limits;
    this.expected = Math.max(1, Math.min(entries, expectedMax));
    this.writer = this.startWriter();
    this.places = new Uint32Array(wordsOfEntry * this.expected);
  }

  get isFull(): boolean {
    return this.count >= this.limits.entries || this.heldBytes >= this.limits.bytes;
  }

  /** Bytes of all entries. */
  get writtenBytes(): number {
    return this.bytesOfPieces + this.writer.length;
  }

  /** Bytes of memory that the buffer takes. */
  get heldBytes(): number {
    const { length } = this.writer.bytes;
    const heads = (this.places.length / wordsOfEntry) * headBytes;
    return this.bytesOfPieces + length + this.places.byteLength + heads;
  }

  /** Declares the bytes written since the last entry to be an entry whose key ends at `keyTo`. */
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

  /** Adds a copy of an entry. */
  addCopy(bytes: Uint8Array, keyFrom: number, keyTo: number, valueTo: number): void {
    const { writer } = this;
    const end = writer.length + keyTo - keyFrom;
    writer.append(bytes, keyFrom, valueTo);
    this.added(end);
  }

  /** Appends the entry to a run on disk. */
  copyTo(run: EntryRun, at: number): void {
    const place = wordsOfEntry * at;
    const { places } = this;
    run.add(
      this.bytesOf(at),
      places[place + 1] as number,
      places[place + 2] as number,
      places[place + 3] as number,
    );
  }

  /** Returns the numbers of the entries in key order. */
  *order(sorting: Sorting): Steps<Uint32Array> {
    if (this.isAscending) return ownOrder(this.count);
    yield* this.makeHeads(sorting);
    return yield* sortedByHead(sorting, this.heads, (left, right) => this.compare(left, right));
  }

  /** Returns the piece that contains the entry. */
  bytesOf(at: number): Uint8Array {
    return this.pieces[this.places[wordsOfEntry * at] as number] ?? this.writer.bytes;
  }

  keyFrom(at: number): number {
    return this.places[wordsOfEntry * at + 1] as number;
  }

  keyTo(at: number): number {
    return this.places[wordsOfEntry * at + 2] as number;
  }

  /** Returns a view of the key, which stays valid only if no further entry is added. */
  key(at: number): Uint8Array {
    return this.bytesOf(at).subarray(this.keyFrom(at), this.keyTo(at));
  }

  hasValue(at: number): boolean {
    return (this.places[wordsOfEntry * at + 3] as number) > this.keyTo(at);
  }

  /** Returns the entries without copying, in the given order. No entry may be added or read afterwards. */
  handOut(order: Uint32Array): SortedEntries {
    this.closePiece(0);
    const { pieces, places } = this;
    return { pieces, places, order };
  }

  /** Like `handOut`, with copies: the buffer can still be read. */
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

  /** Returns a view of the value. */
  value(at: number): Uint8Array {
    const keyTo = this.keyTo(at);
    return this.bytesOf(at).subarray(keyTo, this.places[wordsOfEntry * at + 3] as number);
  }

  /** Hands the memory of all entries to the transaction; must be called before the first `put`. No entry may be added afterwards. */
  handOver({ transaction }: MutationContext): void {
    this.closePiece(0);
    this.handed = this.pieces.map((piece) => transaction.own(piece));
  }

  /** Writes the entries in the given order; `handOver` must have been called. */
  putAll(order: Uint32Array, mutationContext: MutationContext): Steps<void> {
    const put = (at: number) => this.put(at, mutationContext);
    return eachInOrder(order, this.stepLength, mutationContext, put);
  }

  /** Deletes the keys of the entries in the given order; `handOver` must have been called. */
  deleteAll(order: Uint32Array, mutationContext: MutationContext): Steps<void> {
    const remove = (at: number) => this.delete(at, mutationContext);
    return eachInOrder(order, this.stepLength, mutationContext, remove);
  }

  private put(at: number, mutationContext: MutationContext): void {
    const { places } = this;
    const place = wordsOfEntry * at;
    mutationContext.putOwned(
      this.handed[places[place] as number] as number,
      places[place + 1] as number,
      places[place + 2] as number,
      places[place + 3] as number,
    );
  }

  private delete(at: number, mutationContext: MutationContext): void {
    const { places } = this;
    const place = wordsOfEntry * at;
    mutationContext.deleteOwned(
      this.handed[places[place] as number] as number,
      places[place + 1] as number,
      places[place + 2] as number,
    );
  }

  /** Returns whether two entries have equal keys; `order` must have finished. */
  isRepeated(left: number, right: number): boolean {
    return !this.isAscending && this.compare(left, right) === 0;
  }

  /** The keys by number, as views; no entry may be added afterwards. */
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

  /** Empties the buffer; memory that was handed over stays with the transaction. */
  clear(): void {
    this.count = 0;
    this.writer = this.startWriter();
    this.pieces = [];
    this.bytesOfPieces = 0;
    this.places = new Uint32Array(wordsOfEntry * this.expected);
    this.heads = noHeads;
    this.handed = [];
    this.isAscending = true;
  }

  private compare(left: number, right: number): number {
    const { heads, prefixLength } = this;
    const { high, low } = heads;
    if (high[left] !== high[right]) return (high[left] as number) - (high[right] as number);
    if (low[left] !== low[right]) return (low[left] as number) - (low[right] as number);
    return compareRanges(
      this.bytesOf(left),
      this.keyFrom(left) + prefixLength,
      this.keyTo(left),
      this.bytesOf(right),
      this.keyFrom(right) + prefixLength,
      this.keyTo(right),
    );
  }

  /** Returns whether the key of the last entry, number `at`, is greater than the one before it. */
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

  /** Returns the first positions at which not all keys have the same byte; at most `headBytes` of them. */
  private *countedPlaces(sorting: Sorting): Steps<readonly number[]> {
    const varies = new Uint8Array(watchedBytes);
    const first = this.key(0);
    yield* inSteps(sorting, this.count, (from, to) => {
      for (let at = from; at < to; at++) this.markVarying(at, first, varies);
    });
    const counted: number[] = [];
    for (let i = this.prefixLength; i < watchedBytes && counted.length < headBytes; i++) {
      if (varies[i] === 1) counted.push(i);
    }
    return counted;
  }

  private *makeHeads(sorting: Sorting): Steps<void> {
    const counted = yield* this.countedPlaces(sorting);
    const heads = newHeads(this.count);
    yield* inSteps(sorting, this.count, (from, to) => {
      for (let at = from; at < to; at++) {
        heads.high[at] = this.headOf(at, counted, 0, highBytes);
        heads.low[at] = this.headOf(at, counted, highBytes, headBytes);
      }
    });
    this.heads = heads;
  }

  /** Sets `varies[i]` for each position i at which the key differs from `first`. */
  private markVarying(at: number, first: Uint8Array, varies: Uint8Array): void {
    const bytes = this.bytesOf(at);
    const from = this.keyFrom(at);
    const length = this.keyTo(at) - from;
    const end = Math.min(length, first.length, watchedBytes);
    for (let i = this.prefixLength; i < end; i++) {
      if (bytes[from + i] !== first[i]) varies[i] = 1;
    }
    if (length !== first.length) varies.fill(1, end);
  }

  /** Returns the bytes at `counted[start]` … `counted[end - 1]` as an integer. Bytes that do not exist count as zeros. */
  private headOf(at: number, counted: readonly number[], start: number, end: number): number {
    const bytes = this.bytesOf(at);
    const from = this.keyFrom(at);
    const length = this.keyTo(at) - from;
    let head = 0;
    for (let i = start; i < end; i++) {
      const place = i < counted.length ? (counted[i] as number) : length;
      head = (head << 8) | (place < length ? (bytes[from + place] as number) : 0);
    }
    return head >>> 0;
  }

  private get stepLength(): number {
    const bytesOfEntry = Math.max(1, this.writtenBytes / this.count);
    return Math.max(1, Math.min(stepEntries, Math.floor(stepBytes / bytesOfEntry)));
  }

  private startWriter(): ByteWriter {
    return new ByteWriter(Math.min(startBytesMax, this.expected * startBytesOfEntry));
  }

  private grow(): void {
    const grown = new Uint32Array(2 * this.places.length);
    grown.set(this.places);
    this.places = grown;
  }

  /** Closes the current piece and begins another one with capacity for `nextBytes`. */
  private closePiece(nextBytes: number): void {
    this.pieces.push(this.writer.bytes);
    this.bytesOfPieces += this.writer.bytes.length;
    this.writer = new ByteWriter(nextBytes);
  }
}

/** Calls `write` for each entry, with pauses in between. The loop over a step is compiled, unlike a loop that yields. */
function* eachInOrder(
  order: Uint32Array,
  stepLength: number,
  mutationContext: MutationContext,
  write: (at: number) => void,
): Steps<void> {
  for (let from = 0; from < order.length; from += stepLength) {
    const to = Math.min(order.length, from + stepLength);
    const pause = mutationContext.pause(to - from);
    if (pause !== undefined) yield pause;
    writeStep(order, from, to, write);
  }
}

function writeStep(
  order: Uint32Array,
  from: number,
  to: number,
  write: (at: number) => void,
): void {
  for (let i = from; i < to; i++) write(order[i] as number);
}
