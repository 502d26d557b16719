/**
 * Batches of entries that are copied from a source in the memory of one thread, for another thread
 * that writes them.
 */

import type { EntryWalk } from '../cursor/source.ts';

/** Entries as plain data, to send to another thread. The receiver owns the buffer, and may return it for reuse. */
export interface EntryBatch {
  /** The entries in order, as `EntryWalk.copy` writes them. */
  readonly words: Uint32Array<ArrayBuffer>;
  readonly count: number;
  /** No entry follows. */
  readonly isLast: boolean;
}

/** Size of a batch. Copying it takes less than 1 ms. */
const batchWords = (256 << 10) / 4;
const batchEntries = 4096;

export class EntryBatches {
  private readonly walk: EntryWalk;

  constructor(walk: EntryWalk) {
    this.walk = walk;
  }

  /**
   * Returns the next entries, in the memory of `spent`, a batch that has been read, if there is
   * one.
   */
  next(spent: EntryBatch | undefined): EntryBatch {
    const { walk } = this;
    let words = spent?.words ?? new Uint32Array(batchWords);
    let count = 0;
    for (let end = 0; count < batchEntries && !walk.isDone; count++) {
      let to = walk.copy(words, end);
      if (to < 0 && count > 0) break;
      if (to < 0) {
        words = new Uint32Array(-to);
        to = walk.copy(words, 0);
      }
      end = to;
    }
    return { words, count, isLast: walk.isDone };
  }
}

/** Returns the buffers to transfer with the batch. */
export function buffersOf({ words }: EntryBatch): ArrayBuffer[] {
  return [words.buffer];
}
