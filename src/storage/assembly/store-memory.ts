/** Applies the writes of a commit to the version set, then notifies the background work. */

import type { CommitMemory } from '../batch/commit-memory.ts';
import type { Write } from '../batch/write.ts';
import type { WriteBatch } from '../batch/write-batch.ts';
import type { GarbageWatch } from '../cache/garbage-watch.ts';
import type { Background } from '../maintenance/background.ts';
import type { VersionSet } from '../version/version-set.ts';

export class StoreMemory implements CommitMemory {
  /**
   * Set before the first commit. The background cannot be a constructor argument: the background needs the commit queue, and the commit queue
   * needs this object.
   */
  background: Pick<Background, 'committed' | 'droppedAt'> | undefined;
  private readonly versions: VersionSet;
  private readonly garbage: GarbageWatch;

  constructor(versions: VersionSet, garbage: GarbageWatch) {
    this.versions = versions;
    this.garbage = garbage;
  }

  begin(): void {
    this.versions.begin();
  }

  insert(write: Write, sequence: number): void {
    this.versions.insert(write, sequence);
  }

  end(batch: WriteBatch, sequence: number, crc: number): void {
    this.versions.end(batch, sequence, crc);
    // The bytes of the request and its rows are now garbage, most of it in the old generation of the heap.
    this.garbage.add(batch.bytes);
    this.background?.committed();
    if (batch.dropped.length > 0) this.background?.droppedAt(sequence);
  }
}
