/**
 * The journal of a write batch from its first mark on: each write that was replaced, and each key that was new. Read backward it leads from
 * the batch as it is to the batch as it was at a mark.
 */

import { invariant } from '#base';
import type { MemoryExtent } from './batch-bytes.ts';
import { wordsOfWrite } from './write-chunk.ts';

/** The words of a replaced write as a chunk has them, or those of a new one; in the first word a lowest bit more: 1 for a new key. */
const wordsAtFirst = 64 * wordsOfWrite;
/** An object and its place in the list. */
const markBytes = 96;

/** What a batch was at one moment, beside its writes. */
interface BatchMark {
  /** Length of the journal. */
  readonly length: number;
  /** Number of dropped ranges. */
  readonly dropped: number;
  readonly memory: MemoryExtent;
}

/** One step back: the write takes the place of the one of the same key, or a new key goes. */
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

  /** What it takes in memory. */
  get bytes(): number {
    return this.words.byteLength + this.marks.length * markBytes;
  }

  get isMarked(): boolean {
    return this.marks.length > 0;
  }

  /** Sets a mark; returns its number, which is how many older ones live. */
  mark(dropped: number, memory: MemoryExtent): number {
    return this.marks.push({ length: this.length, dropped, memory }) - 1;
  }

  /** The mark, after which no other lives any more. */
  backTo(mark: number): BatchMark {
    const found = this.marks[mark];
    invariant(found !== undefined, 'a mark is used while it lives');
    this.marks.length = mark + 1;
    return found;
  }

  /** Gives up the mark and those after it. */
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

  /** Takes the newest entry off; undefined when no more than `length` is left. Valid until the next call. */
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
