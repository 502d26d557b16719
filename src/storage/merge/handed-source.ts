/**
 * A source whose entries arrive once and in order from another thread, in batches. Through this
 * source, a merge on this thread reads a memtable of the other one.
 */

import { compareRanges, type Pending } from '#base';
import type { KeyRange } from '../contract/store.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { VersionSource } from '../cursor/source.ts';
import { deleteFlag, high } from '../memtable/entries.ts';
import type { EntryBatch } from './entry-batch.ts';

/** Batches that are requested before they are needed. */
const batchesAhead = 4;
const nothing = new Uint8Array(0);

export class HandedSource implements VersionSource {
  private readonly ask: (spent: EntryBatch | undefined) => void;
  private readonly batches: EntryBatch[] = [];
  private waiting: PromiseWithResolvers<void> | undefined;
  /** The batch before the first one in `batches`. */
  private spent: EntryBatch | undefined;
  /**
   * Position in the first batch: the number of passed entries, and the word at which the next one
   * begins.
   */
  private passed = 0;
  private at = 0;

  /**
   * Creates a source. `ask` requests one more batch, which is passed to `arrived`, and returns a
   * batch that has been read.
   */
  constructor(ask: (spent: EntryBatch | undefined) => void) {
    this.ask = ask;
    for (let i = 0; i < batchesAhead; i++) ask(undefined);
  }

  arrived(batch: EntryBatch): void {
    this.batches.push(batch);
    this.waiting?.resolve();
    this.waiting = undefined;
  }

  /**
   * Returns a cursor that continues after the last entry of the previous one. Ranges must ascend.
   */
  versions(range: KeyRange): InternalCursor {
    return new HandedCursor(this, range);
  }

  /**
   * Returns the batch that contains the next entry, or the last batch. If it has not arrived,
   * returns a wait.
   */
  peek(): EntryBatch | Pending {
    for (;;) {
      const [batch] = this.batches;
      if (batch === undefined) {
        this.waiting ??= Promise.withResolvers<void>();
        return this.waiting.promise;
      }
      if (this.passed < batch.count || batch.isLast) return batch;
      this.batches.shift();
      this.passed = 0;
      this.at = 0;
      // The caller may still use the previous entry, so its batch is returned together with the
      // next one.
      this.ask(this.spent);
      this.spent = batch;
    }
  }

  /**
   * Returns the word at which the next entry begins in the batch that `peek` returned; -1 if there
   * is none.
   */
  nextOf({ count }: EntryBatch): number {
    return this.passed === count ? -1 : this.at;
  }

  /** Moves past the next entry, which ends at the word `to`. */
  pass(to: number): void {
    this.passed++;
    this.at = to;
  }
}

class HandedCursor implements InternalCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence = 0;
  isTombstone = false;
  /** Words of the batch that contains the bytes of `key` and `value`. */
  private words: Uint32Array | undefined;
  private readonly source: HandedSource;
  private readonly range: KeyRange;

  constructor(source: HandedSource, range: KeyRange) {
    this.source = source;
    this.range = range;
  }

  next(): boolean | Pending {
    const { source, range } = this;
    const { from, to } = range;
    for (;;) {
      const batch = source.peek();
      if (batch instanceof Promise) return batch;
      const at = source.nextOf(batch);
      if (at < 0) return false;
      const end = this.show(batch, at);
      if (to !== undefined && this.compare(to) >= 0) return false;
      source.pass(end);
      if (from.length === 0 || this.compare(from) >= 0) return true;
    }
  }

  close(): void {}

  /** Shows the entry at the word `at`, and returns its end. */
  private show({ words }: EntryBatch, at: number): number {
    if (this.words !== words) {
      this.words = words;
      this.key = new Uint8Array(words.buffer);
      this.value = this.key;
    }
    const keyLength = words[at] as number;
    const version = at + 1 + ((keyLength + 3) >>> 2);
    const top = words[version + 2] as number;
    const valueLength = words[version + 3] as number;
    this.keyFrom = 4 * (at + 1);
    this.keyTo = this.keyFrom + keyLength;
    this.sequence = (words[version + 1] as number) + (top & ~deleteFlag) * high;
    this.isTombstone = top >= deleteFlag;
    this.valueFrom = 4 * (version + 4);
    this.valueTo = this.valueFrom + valueLength;
    return version + 4 + ((valueLength + 3) >>> 2);
  }

  private compare(bound: Uint8Array): number {
    return compareRanges(this.key, this.keyFrom, this.keyTo, bound, 0, bound.length);
  }
}
