/** A commit whose writes are in SSTables: its log record, its key ranges, and the SSTables that the commit queue installs. */

import type { CommitMemory } from '../batch/commit-memory.ts';
import type { ObjectReader } from '../object/store.ts';
import type { RunCommitContents } from '../version/run-record.ts';
import type { WrittenRanges } from './written-ranges.ts';

export interface RunCommit {
  /** The log record, which names the SSTables. They are durable. */
  readonly record: Uint8Array;
  /** The content of the record. The SSTables do not have the sequence of the commit yet. */
  readonly contents: RunCommitContents;
  /** The files of the SSTables, open for reading. */
  readonly readers: readonly ObjectReader[];
  readonly ranges: WrittenRanges;
  /** Number of distinct keys written, and bytes of their SSTables. */
  readonly writes: number;
  readonly writtenBytes: number;
}

/** Receives the writes of commits, in memory or as a whole run of SSTables. */
export interface LaneMemory extends CommitMemory {
  /** Makes the writes of the run visible at `sequence`, above all earlier commits. */
  install(run: RunCommit, sequence: number): void;
}
