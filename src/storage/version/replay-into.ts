/**
 * Applies a log record like its original commit: writes to the memtable, or a run of SSTables; changes of tracked ranges; and dropped
 * ranges.
 */

import { crc32 } from '#base';
import { decodeCommit } from '../batch/commit-record.ts';
import { levels } from '../manifest/levels.ts';
import { CommittedRun } from './committed-run.ts';
import type { OpenRun } from './open-run.ts';
import { decodeRunCommit, isRunRecord } from './run-record.ts';
import type { TableFiles } from './table-files.ts';
import type { VersionSet } from './version-set.ts';

export function replayInto(
  versions: VersionSet,
  payload: Uint8Array,
  record: number,
  memtableBytes: number,
): void {
  if (isRunRecord(payload)) {
    const contents = decodeRunCommit(payload.slice(), record);
    versions.add(new CommittedRun(record, contents.tables), contents, crc32(payload));
    return;
  }
  const { active, areas } = versions;
  const dropped = decodeCommit(payload, (entry) => {
    areas.note(entry);
    active.insert(entry, record);
  });
  areas.publish(record, crc32(payload));
  versions.dropped.add(dropped, record);
  if (active.contentBytes >= memtableBytes) versions.freeze();
}

/**
 * Opens the SSTables of recovered commits, after the replay. A missing SSTable is noted as damage, like that of a manifest, and reads of it
 * fail.
 */
export async function openRecovered(versions: VersionSet, files: TableFiles): Promise<void> {
  const runs = versions.committedRuns;
  if (runs.length === 0) return;
  const opened = await files.openRuns(
    runs.map(({ tables }) => ({ level: levels.flushed, tables })),
  );
  versions.opened(new Map(runs.map((run, i) => [run, opened[i] as OpenRun])));
}
