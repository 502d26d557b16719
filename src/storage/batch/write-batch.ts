/**
 * The writes of one transaction in key order; a later write of a key replaces an earlier one. Only an undo removes writes, so cursors
 * survive inserts.
 */

import { invariant, type Steps } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { BatchBytes } from './batch-bytes.ts';
import type { CommitYield } from './commit-yield.ts';
import { emptyWrite, type Write } from './write.ts';
import { headOf, WriteChunk } from './write-chunk.ts';
import { type JournalEntry, WriteJournal } from './write-journal.ts';

const chunkWrites = 128;
/** Limits below which a batch counts as small. Both are less than the work between two yields. */
const fewWrites = 64;
const fewBytes = 64 << 10;
/** Bytes of memory of a write without its key and value: its words, the free ones of a chunk, and garbage of chunks that grew. */
const bytesOfPlace = 80;

export class WriteBatch {
  /** Writes in key order, in chunks of 1 to 128. */
  readonly chunks: WriteChunk[] = [];
  /** Changes whenever positions change: a cursor then has to find its position again. */
  generation = 0;
  /** Number of distinct keys written. */
  count = 0;
  /** Key ranges whose entries are no longer needed after this commit. */
  readonly dropped: KeyRange[] = [];
  private memory = new BatchBytes();
  /** Present while any mark is valid. */
  private journal: WriteJournal | undefined;
  /** Chunk of the last write. */
  private last = 0;
  /** The object that exposes one write at a time. */
  readonly shown = emptyWrite();

  /** Returns whether the batch is small enough to be processed without a yield. */
  get isSmall(): boolean {
    return this.count <= fewWrites && this.bytes <= fewBytes;
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.dropped.length === 0;
  }

  /** Bytes copied or handed over so far, including those of overwritten writes. */
  get bytes(): number {
    return this.memory.used;
  }

  /** Returns the approximate memory of the whole batch in bytes, as measured for writes in any order (bench/memory-account.ts). */
  get heldBytes(): number {
    return this.memory.held + this.count * bytesOfPlace + (this.journal?.bytes ?? 0);
  }

  /** The number of valid marks. */
  get marks(): number {
    return this.journal?.count ?? 0;
  }

  /** Returns a copy with the same marks, which shares the memory. Only one of the two may be changed from now on. */
  clone(): WriteBatch {
    const copy = new WriteBatch();
    copy.memory = this.memory.clone();
    for (const chunk of this.chunks) copy.chunks.push(chunk.clone(copy.memory.pieces));
    copy.count = this.count;
    copy.dropped.push(...this.dropped);
    copy.journal = this.journal?.clone();
    return copy;
  }

  /** Marks the current writes and dropped ranges, and returns the number of the mark. */
  mark(): number {
    this.journal ??= new WriteJournal();
    return this.journal.mark(this.dropped.length, this.memory.extent);
  }

  /** Restores the batch to its state at the mark. The mark stays valid; later marks do not. */
  *undo(mark: number, stretch: CommitYield): Steps<void> {
    const { journal } = this;
    invariant(journal !== undefined, 'a mark is used while it lives');
    const { length, dropped, memory } = journal.backTo(mark);
    for (let it = journal.takeLast(length); it !== undefined; it = journal.takeLast(length)) {
      this.takeBack(it);
      const pause = stretch.after(0);
      if (pause !== undefined) yield pause;
    }
    this.dropped.length = dropped;
    this.memory.cut(memory);
    this.generation++;
  }

  /** Discards the mark and all later marks without undoing any write. */
  forget(mark: number): void {
    const { journal } = this;
    invariant(journal !== undefined, 'a mark is used while it lives');
    journal.forget(mark);
    if (journal.count === 0) this.journal = undefined;
  }

  /** Copies the key and the value. */
  put(key: Uint8Array, value: Uint8Array): void {
    const keyFrom = this.memory.copy(key, value);
    const keyTo = keyFrom + key.length;
    this.place(headOf(this.memory.copied, false), keyFrom, keyTo, keyTo + value.length);
  }

  /** Takes ownership of `bytes` and returns their piece number. */
  own(bytes: Uint8Array): number {
    return this.memory.own(bytes);
  }

  /** Writes an entry whose bytes are already in the piece `owned`, without copying. */
  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void {
    this.memory.used += valueTo - keyFrom;
    this.place(headOf(owned, false), keyFrom, keyTo, valueTo);
  }

  /** Writes a tombstone like `putOwned`. */
  deleteOwned(owned: number, keyFrom: number, keyTo: number): void {
    this.memory.used += keyTo - keyFrom;
    this.place(headOf(owned, true), keyFrom, keyTo, keyTo);
  }

  delete(key: Uint8Array): void {
    const keyFrom = this.memory.copy(key, undefined);
    const keyTo = keyFrom + key.length;
    this.place(headOf(this.memory.copied, true), keyFrom, keyTo, keyTo);
  }

  /** Copies the range. */
  dropRange({ from, to }: KeyRange): void {
    this.dropped.push({ from: from.slice(), to: to?.slice() });
  }

  /** Returns the write of the key, valid until the next call; `undefined` if the batch does not write it. */
  find(key: Uint8Array): Write | undefined {
    if (this.count === 0) return undefined;
    const chunk = this.chunks[this.chunkOf(key, 0, key.length)] as WriteChunk;
    const slot = chunk.slotOf(key, 0, key.length);
    if (slot === chunk.count || chunk.compare(slot, key, 0, key.length) !== 0) return undefined;
    chunk.show(slot, this.shown);
    return this.shown;
  }

  /**
   * Returns the index of the chunk that contains, or would contain, the key: the last chunk that does not start above it. 0 in an empty
   * batch.
   */
  chunkOf(key: Uint8Array, from: number, to: number): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.chunks[middle] as WriteChunk).compare(0, key, from, to) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the same as `chunkOf`, but first tries the chunk of the last write, which is usually close. */
  private chunkNear(key: Uint8Array, from: number, to: number): number {
    const { chunks, last } = this;
    const chunk = chunks[last];
    if (chunk === undefined || chunk.compare(0, key, from, to) > 0) {
      return this.chunkOf(key, from, to);
    }
    const next = chunks[last + 1];
    if (next === undefined || next.compare(0, key, from, to) > 0) return last;
    return this.chunkOf(key, from, to);
  }

  private place(head: number, keyFrom: number, keyTo: number, valueTo: number): void {
    const bytes = this.memory.pieces[head >>> 1] as Uint8Array;
    if (this.isLast(bytes, keyFrom, keyTo)) {
      this.append(head, keyFrom, keyTo, valueTo);
      return;
    }
    const at = this.chunkNear(bytes, keyFrom, keyTo);
    this.last = at;
    const chunk = this.chunks[at] as WriteChunk;
    const slot = chunk.slotOf(bytes, keyFrom, keyTo);
    if (slot < chunk.count && chunk.compare(slot, bytes, keyFrom, keyTo) === 0) {
      this.journal?.replaced(chunk.wordsOf(slot));
      chunk.set(slot, head, keyFrom, keyTo, valueTo);
      return;
    }
    this.insert(at, slot, head, keyFrom, keyTo, valueTo);
    this.added(head, keyFrom, keyTo);
  }

  /** Restores a replaced write, or removes a new one. Removes a chunk that becomes empty. */
  private takeBack({ isNew, head, keyFrom, keyTo, valueTo }: JournalEntry): void {
    const bytes = this.memory.pieces[head >>> 1] as Uint8Array;
    const at = this.chunkNear(bytes, keyFrom, keyTo);
    this.last = at;
    const chunk = this.chunks[at] as WriteChunk;
    const slot = chunk.slotOf(bytes, keyFrom, keyTo);
    if (!isNew) {
      chunk.set(slot, head, keyFrom, keyTo, valueTo);
      return;
    }
    chunk.remove(slot);
    this.count--;
    if (chunk.count === 0) this.chunks.splice(at, 1);
  }

  /** Inserts the write before the one in `slot` of a chunk, and splits the chunk if it is full. */
  private insert(
    at: number,
    slot: number,
    head: number,
    keyFrom: number,
    keyTo: number,
    valueTo: number,
  ): void {
    const chunk = this.chunks[at] as WriteChunk;
    if (chunk.count < chunkWrites) {
      chunk.insert(slot, head, keyFrom, keyTo, valueTo);
      return;
    }
    const upper = chunk.split();
    this.chunks.splice(at + 1, 0, upper);
    if (slot <= chunk.count) chunk.insert(slot, head, keyFrom, keyTo, valueTo);
    else upper.insert(slot - chunk.count, head, keyFrom, keyTo, valueTo);
  }

  /** Returns whether the key is above all others. */
  private isLast(bytes: Uint8Array, keyFrom: number, keyTo: number): boolean {
    const chunk = this.chunks[this.chunks.length - 1];
    if (chunk === undefined) return true;
    return chunk.compare(chunk.count - 1, bytes, keyFrom, keyTo) < 0;
  }

  /** Appends a write above all others. Keys written in order fill each chunk completely. */
  private append(head: number, keyFrom: number, keyTo: number, valueTo: number): void {
    let chunk = this.chunks[this.chunks.length - 1];
    if (chunk === undefined || chunk.count >= chunkWrites) {
      // After a full chunk, the next one usually fills as well, so allocate it at full size.
      const writes = chunk === undefined ? undefined : chunkWrites;
      chunk = new WriteChunk(this.memory.pieces, writes);
      this.chunks.push(chunk);
    }
    chunk.insert(chunk.count, head, keyFrom, keyTo, valueTo);
    this.last = this.chunks.length - 1;
    this.added(head, keyFrom, keyTo);
  }

  private added(head: number, keyFrom: number, keyTo: number): void {
    this.count++;
    this.generation++;
    this.journal?.added(head, keyFrom, keyTo);
  }
}

/** Calls `handle` for each write of a small batch in key order. The write is valid only during the call. */
export function eachOfFew(batch: WriteBatch, handle: (write: Write) => void): void {
  const write = batch.shown;
  for (let at = 0; at < batch.chunks.length; at++) {
    const chunk = batch.chunks[at] as WriteChunk;
    for (let i = 0; i < chunk.count; i++) {
      chunk.show(i, write);
      handle(write);
    }
  }
}

/** Calls `handle` for each write in key order, with yields in between. The write is valid only during the call. */
export function* eachWrite(
  batch: WriteBatch,
  stretch: CommitYield,
  handle: (write: Write) => void,
): Steps<void> {
  const write = batch.shown;
  for (const chunk of batch.chunks) {
    for (let slot = 0; slot < chunk.count; ) {
      slot = handleStretch(chunk, slot, { write, stretch, handle });
      const pause = stretch.pause();
      if (pause !== undefined) yield pause;
    }
  }
}

interface Handling {
  readonly write: Write;
  readonly stretch: CommitYield;
  handle(write: Write): void;
}

/** Handles writes until the commit has to yield or the chunk ends; returns the next slot. The loop is compiled, unlike a loop that yields. */
function handleStretch(
  chunk: WriteChunk,
  from: number,
  { write, stretch, handle }: Handling,
): number {
  let slot = from;
  while (slot < chunk.count && !stretch.isDue) {
    chunk.show(slot++, write);
    handle(write);
    stretch.count(write.valueTo - write.keyFrom);
  }
  return slot;
}
