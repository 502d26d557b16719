/**
 * The undo journal of a write batch, which exists from the first mark on. The journal records each replaced write and each new key. Undoing its
 * entries from newest to oldest restores the batch to its state at a mark.
 */

import { invariant } from '#base';
import type { MemoryExtent } from './batch-bytes.ts';
import { wordsOfWrite } from './write-chunk.ts';

/**
 * Initial capacity: 64 entries. An entry has the words of the replaced write, or of the new one. Its first word is shifted left by one bit;
 * the lowest bit is 1 for a new key.
 */
const wordsAtFirst = 64 * wordsOfWrite;
/** Estimated memory of a mark: an object and its position in the list. */
const markBytes = 96;

/** The state of a batch at a mark, except its writes. */
interface BatchMark {
  /** Length of the journal in words. */
  readonly length: number;
  /** Number of dropped ranges. */
  readonly dropped: number;
  readonly memory: MemoryExtent;
}

/** One undo step: restores the previous write of the key, or removes a new key. */
export interface JournalEntry {
  isNew: boolean;
  head: number;
  keyFrom: number;
  keyTo: number;
  valueTo: number;
}

export class WriteJournal {
  private words = new Uint32Array(wordsAtFirst);
  /** Words in use. */
  private length = 0;
  private readonly marks: BatchMark[] = [];
  private readonly shown: JournalEntry = {
    isNew: false,
    head: 0,
    keyFrom: 0,
    keyTo: 0,
    valueTo: 0,
  };

  clone(): WriteJournal {
    const copy = new WriteJournal();
    copy.words = this.words.slice();
    copy.length = this.length;
    copy.marks.push(...this.marks);
    return copy;
  }

  /** Memory of the journal in bytes. */
  get bytes(): number {
    return this.words.byteLength + this.marks.length * markBytes;
  }

  /** The number of valid marks. */
  get count(): number {
    return this.marks.length;
  }

  /** Sets a mark and returns its number, which equals the number of older valid marks. */
  mark(dropped: number, memory: MemoryExtent): number {
    return this.marks.push({ length: this.length, dropped, memory }) - 1;
  }

  /** Returns the mark and invalidates all later ones. */
  backTo(mark: number): BatchMark {
    const found = this.marks[mark];
    invariant(found !== undefined, 'a mark is used while it lives');
    this.marks.length = mark + 1;
    return found;
  }

  /** Discards the mark and all later ones. */
  forget(mark: number): void {
    invariant(mark < this.marks.length, 'a mark is used while it lives');
    this.marks.length = mark;
  }

  replaced(write: Uint32Array): void {
    this.add((write[0] as number) * 2, write[1] as number, write[2] as number, write[3] as number);
  }

  added(head: number, keyFrom: number, keyTo: number): void {
    this.add(head * 2 + 1, keyFrom, keyTo, keyTo);
  }

  /** Removes and returns the newest entry, valid until the next call; `undefined` if the journal is down to `length`. */
  takeLast(length: number): JournalEntry | undefined {
    if (this.length === length) return undefined;
    this.length -= wordsOfWrite;
    const { words, length: at, shown } = this;
    const first = words[at] as number;
    shown.isNew = first % 2 === 1;
    shown.head = first >>> 1;
    shown.keyFrom = words[at + 1] as number;
    shown.keyTo = words[at + 2] as number;
    shown.valueTo = words[at + 3] as number;
    return shown;
  }

  private add(first: number, keyFrom: number, keyTo: number, valueTo: number): void {
    if (this.length === this.words.length) this.grow();
    const { words, length: at } = this;
    words[at] = first;
    words[at + 1] = keyFrom;
    words[at + 2] = keyTo;
    words[at + 3] = valueTo;
    this.length = at + wordsOfWrite;
  }

  private grow(): void {
    const grown = new Uint32Array(this.words.length * 2);
    grown.set(this.words);
    this.words = grown;
  }
}
