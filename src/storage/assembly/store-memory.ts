/** Applies the writes of a commit, or its run of SSTables, to the version set, then notifies the background work. */

import { crc32 } from '#base';
import type { Write } from '../batch/write.ts';
import type { WriteBatch } from '../batch/write-batch.ts';
import type { Background } from '../maintenance/background.ts';
import type { LaneMemory, RunCommit } from '../transaction/run-commit.ts';
import { CommittedRun, committedAt } from '../version/committed-run.ts';
import type { TableFiles } from '../version/table-files.ts';
import type { VersionSet } from '../version/version-set.ts';

export class StoreMemory implements LaneMemory {
  /**
   * Set before the first commit. The background cannot be a constructor argument: the background needs the commit queue, and the commit queue
   * needs this object.
   */
  background: Pick<Background, 'committed' | 'runCommitted' | 'droppedAt'> | undefined;
  private readonly versions: VersionSet;
  private readonly files: TableFiles;

  constructor(versions: VersionSet, files: TableFiles) {
    this.versions = versions;
    this.files = files;
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
    this.files.garbage.add(batch.bytes);
    this.background?.committed();
    if (batch.dropped.length > 0) this.background?.droppedAt(sequence);
  }

  install({ record, contents, readers, writtenBytes }: RunCommit, sequence: number): void {
    const tables = committedAt(sequence, contents.tables);
    const run = new CommittedRun(sequence, tables, this.files.runOf(tables, readers));
    this.versions.add(run, contents, crc32(record));
    this.versions.writtenBytes += writtenBytes;
    this.background?.runCommitted();
    if (contents.dropped.length > 0) this.background?.droppedAt(sequence);
  }
}
