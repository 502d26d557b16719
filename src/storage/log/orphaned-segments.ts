/** Files of earlier epochs in `wal/` that no manifest names any more. */

import type { DirectoryIo } from '../object/directory-io.ts';
import type { Removed } from '../object/garbage-collector.ts';
import { prefixes, segmentName } from '../object/names.ts';
import type { RecoveredLog } from './log.ts';
import { logDirectory } from './segment-files.ts';

/** Deletes all files of earlier epochs except sealed segments. */
export function removeOrphanedSegments(
  io: DirectoryIo,
  recovered: RecoveredLog,
  removed?: Removed,
): void {
  const kept = new Set(recovered.seals.map((seal) => segmentName(seal.epoch, seal.segment)));
  for (const entry of io.entries(logDirectory)) {
    const name = `${prefixes.log}${entry}`;
    const epoch = Number.parseInt(entry, 10);
    if (!kept.has(name) && epoch < recovered.epoch) unlink(io, name, removed);
  }
}

/** Deletes a file, and calls `removed` if it existed. */
export function unlink(io: DirectoryIo, path: string, removed?: Removed): void {
  const bytes = io.sizeOf(path);
  if (io.unlink(path)) removed?.(bytes ?? 0);
}
