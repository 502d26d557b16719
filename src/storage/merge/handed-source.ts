/** A source whose entries come from another thread in batches, in order and once: what is merged here of a memtable that lies there. */

import { compareRanges, type Pending } from '#base';
import type { KeyRange } from '../contract/store.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { VersionSource } from '../cursor/source.ts';
import { deleteFlag, type EntryBatch, high, wordsOfEntry } from './entry-batch.ts';

/** Batches that are asked for before they are needed. */
const batchesAhead = 4;
const nothing = new Uint8Array(0);

export class HandedSource implements VersionSource {
  private readonly ask: (spent: EntryBatch | undefined) => void;
  private readonly batches: EntryBatch[] = [];
  private waiting: PromiseWithResolvers<void> | undefined;
  /** The batch before the first one. */
  private spent: EntryBatch | undefined;
  /** In the first batch: the entry that comes next. */
  private at = 0;

  /** `ask` asks for one more batch, which `arrived` is told, and gives one back that has been read. */
  constructor(ask: (spent: EntryBatch | undefined) => void) {
    this.ask = ask;
    for (let i = 0; i < batchesAhead; i++) ask(undefined);
  }

  arrived(batch: EntryBatch): void {
    this.batches.push(batch);
    this.waiting?.resolve();
    this.waiting = undefined;
  }

  /** Goes on with the entries where the cursor before it stopped: ranges ascend. */
  versions(range: KeyRange): InternalCursor {
    return new HandedCursor(this, range);
  }

  /** The batch that holds the next entry, or the last one; else what to wait for. */
  peek(): EntryBatch | Pending {
    for (;;) {
      const [batch] = this.batches;
      if (batch === undefined) {
        this.waiting ??= Promise.withResolvers<void>();
        return this.waiting.promise;
      }
      if (this.at < batch.count || batch.isLast) return batch;
      this.batches.shift();
      this.at = 0;
      // The entry before may still be looked at: its batch goes back with the next one.
      this.ask(this.spent);
      this.spent = batch;
    }
  }

  /** In the batch that `peek` told. */
  get next(): number {
    return this.at;
  }

  pass(): void {
    this.at++;
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
  isDelete = false;
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
      if (source.next === batch.count) return false;
      this.show(batch, source.next);
      if (to !== undefined && this.compare(to) >= 0) return false;
      source.pass();
      if (from.length === 0 || this.compare(from) >= 0) return true;
    }
  }

  close(): void {}

  private show({ bytes, words }: EntryBatch, entry: number): void {
    const at = entry * wordsOfEntry;
    this.key = bytes;
    this.value = bytes;
    this.keyFrom = entry === 0 ? 0 : (words[at - wordsOfEntry + 1] as number);
    this.keyTo = words[at] as number;
    this.valueFrom = this.keyTo;
    this.valueTo = words[at + 1] as number;
    const top = words[at + 3] as number;
    this.sequence = (words[at + 2] as number) + (top & ~deleteFlag) * high;
    this.isDelete = top >= deleteFlag;
  }

  private compare(bound: Uint8Array): number {
    return compareRanges(this.key, this.keyFrom, this.keyTo, bound, 0, bound.length);
  }
}
