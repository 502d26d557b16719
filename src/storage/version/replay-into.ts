/** Applies a log record like its original commit: writes to the memtable, changes of tracked ranges, and dropped ranges. */

import { crc32 } from '#base';
import { decodeCommit } from '../batch/commit-record.ts';
import type { VersionSet } from './version-set.ts';

export function replayInto(
  versions: VersionSet,
  payload: Uint8Array,
  record: number,
  memtableBytes: number,
): void {
  const { active, areas } = versions;
  const dropped = decodeCommit(payload, (entry) => {
    areas.note(entry);
    active.insert(entry, record);
  });
  areas.publish(record, crc32(payload));
  versions.dropped.add(dropped, record);
  if (active.contentBytes >= memtableBytes) versions.freeze();
}
