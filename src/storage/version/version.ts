/** What the store consists of at one moment: the sources to read, newest first. Immutable, shared, and counted. */

import type { KeyRange } from '../contract/store.ts';
import type { RemoteBlocks, Source } from '../cursor/source.ts';
import { sumRemote } from '../cursor/sum-remote.ts';
import type { HeldTable } from './open-run.ts';

/** The state of one moment. Its sources stay readable while somebody holds it. */
export class Version {
  readonly sources: readonly Source[];
  readonly tables: readonly HeldTable[];
  private readonly released: (version: Version) => void;
  private holders = 1;

  /** Starts with one holder; `released` is called when the last one is gone. */
  constructor(
    sources: readonly Source[],
    tables: readonly HeldTable[],
    released: (version: Version) => void,
  ) {
    this.sources = sources;
    this.tables = tables;
    this.released = released;
    for (const table of tables) table.holders++;
  }

  /** About how many entries the range holds, by what is in memory. */
  entriesIn(range: KeyRange): number {
    return this.sources.reduce((sum, source) => sum + source.entriesIn(range), 0);
  }

  /** What reads of the range would fetch; undefined where nothing is remote. */
  remoteIn(range: KeyRange): RemoteBlocks | undefined {
    return sumRemote(this.sources.map((source) => source.remoteIn?.(range)));
  }

  hold(): this {
    this.holders++;
    return this;
  }

  release(): void {
    if (--this.holders === 0) this.released(this);
  }
}
