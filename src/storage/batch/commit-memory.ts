/** The interface between the commit queue, which orders commits, and the memory that receives their writes. */

import type { Write } from './write.ts';
import type { WriteBatch } from './write-batch.ts';

/** Receives the writes of commits. */
export interface CommitMemory {
  /** Starts a commit. Its writes are invisible until `end`. */
  begin(): void;
  insert(write: Write, sequence: number): void;
  /**
   * Ends a commit after all its writes: makes them visible and drops the ranges that the batch drops. `crc` is the checksum of the record.
   */
  end(batch: WriteBatch, sequence: number, crc: number): void;
}
