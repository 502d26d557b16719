/** The seam between the lane that orders commits and the memory that their writes go to. */

import type { Write } from './write.ts';
import type { WriteBatch } from './write-batch.ts';

/** Where the writes of a commit go. */
export interface CommitMemory {
  /** From here to `end` its writes come in: what is there of them counts for nobody. */
  begin(): void;
  insert(write: Write, sequence: number): void;
  /** All writes are there, and what the batch drops is dropped. `crc` is the checksum of the record. */
  end(batch: WriteBatch, sequence: number, crc: number): void;
}
