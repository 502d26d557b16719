/** The content of the store at one moment: the sources to read, newest first. Immutable, shared and reference-counted. */

import type { KeyRange } from '../contract/store.ts';
import type { CursorSource, RemoteBlocks } from '../cursor/source.ts';
import { sumRemote } from '../cursor/sum-remote.ts';
import type { HeldTable } from './open-run.ts';

/** A past run, whose versions are older than those of the source `above`, and newer than those of the sources below. */
interface PastSource {
  readonly above: CursorSource;
  readonly source: CursorSource;
  /** From this sequence on, no view sees any of its versions. */
  readonly seenBelow: number;
}

/** One version. Its sources stay readable until the last holder releases it. */
export class Version {
  readonly sources: readonly CursorSource[];
  readonly tables: readonly HeldTable[];
  private readonly past: readonly PastSource[];
  /** Views from this sequence on need no past run. */
  private readonly pastBelow: number;
  private readonly released: (version: Version) => void;
  private holders = 1;

  /**
   * Creates a version with one holder. `released` is called when the last holder has released the version. `sources` are without those of
   * `past`, the past runs, newest first.
   */
  constructor(
    sources: readonly CursorSource[],
    tables: readonly HeldTable[],
    released: (version: Version) => void,
    past: readonly PastSource[] = [],
  ) {
    this.past = past;
    this.pastBelow = past.reduce((max, { seenBelow }) => Math.max(max, seenBelow), 0);
    this.sources = sources;
    this.tables = tables;
    this.released = released;
    for (const table of tables) table.holders++;
  }

  /** Returns the sources of a view at `sequence`, newest first. */
  sourcesAt(sequence: number): readonly CursorSource[] {
    if (sequence >= this.pastBelow) return this.sources;
    const needed = new Map<CursorSource, CursorSource>();
    for (const { above, source, seenBelow } of this.past) {
      if (sequence < seenBelow) needed.set(above, source);
    }
    return this.sources.flatMap((source) => {
      const past = needed.get(source);
      return past === undefined ? source : [source, past];
    });
  }

  /** Returns the approximate number of entries in the range, without reading from storage. */
  entriesIn(range: KeyRange): number {
    return this.sources.reduce((sum, source) => sum + source.entriesIn(range), 0);
  }

  /** Returns the remote blocks that reads of the range would fetch; `undefined` if nothing is remote. */
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
