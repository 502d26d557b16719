/** Entries of a source in the memory of one thread, copied a stretch at a time for another one that writes them. */

import type { EntryWalk } from '../cursor/source.ts';

/** Plain data. Its buffer is the receiver's, who may give it back. */
export interface EntryBatch {
  /** As `EntryWalk.copy` writes them, one behind the other. */
  readonly words: Uint32Array<ArrayBuffer>;
  readonly count: number;
  /** No entry follows. */
  readonly isLast: boolean;
}

/** Copied in less than a millisecond. */
const batchWords = (256 << 10) / 4;
const batchEntries = 4096;

export class EntryBatches {
  private readonly walk: EntryWalk;

  constructor(walk: EntryWalk) {
    this.walk = walk;
  }

  /** The next entries, in the memory of a batch that nobody reads any more when there is one. */
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

/** What is transferred with it. */
export function buffersOf({ words }: EntryBatch): ArrayBuffer[] {
  return [words.buffer];
}
