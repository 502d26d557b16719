/** Files of earlier epochs in `wal/` that no manifest names any more. */

import type { DirectoryIo } from '../object/directory-io.ts';
import type { Removed } from '../object/garbage-collector.ts';
import { prefixes, segmentName } from '../object/names.ts';
import type { RecoveredLog } from './log.ts';
import { logDirectory } from './segment-files.ts';

/** Deletes all files of earlier epochs except sealed segments. */
export async function removeOrphanedSegments(
  io: DirectoryIo,
  recovered: RecoveredLog,
  removed?: Removed,
): Promise<void> {
  const kept = new Set(recovered.seals.map((seal) => segmentName(seal.epoch, seal.segment)));
  for (const entry of io.entries(logDirectory)) {
    const name = `${prefixes.log}${entry}`;
    const epoch = Number.parseInt(entry, 10);
    if (!kept.has(name) && epoch < recovered.epoch) await removeFile(io, name, removed);
  }
}

/** Deletes a file in the background, and calls `removed` if it existed. */
export async function removeFile(io: DirectoryIo, path: string, removed?: Removed): Promise<void> {
  const bytes = io.sizeOf(path);
  if (await io.remove(path)) removed?.(bytes ?? 0);
}
