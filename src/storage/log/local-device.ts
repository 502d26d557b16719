/** The log of a local store: segment files in `wal/`. */

import type { Scheduler } from '#base';
import type { DirectoryIo } from '../object/directory-io.ts';
import { storageError } from '../object/storage-fault.ts';
import { LocalLog } from './local-log.ts';
import { recoverLocal } from './local-recovery.ts';
import type { FenceCheck, LogDevice, RecoveredLog, SegmentLog } from './log.ts';
import { SegmentFiles } from './segment-files.ts';

const defaultSegmentBytes = 16 << 20;

export function localLogDevice(
  io: DirectoryIo,
  scheduler: Scheduler,
  segmentBytes = defaultSegmentBytes,
): LogDevice {
  const start = async (recovered: RecoveredLog, fenced: FenceCheck): Promise<SegmentLog> => {
    const files = new SegmentFiles(io, recovered.epoch, segmentBytes);
    const { lastRecord, lastCrc } = recovered;
    const first = await files.open(0, { record: lastRecord, crc: lastCrc });
    return new LocalLog({ io, scheduler, files, first, recovered, fenced });
  };
  return {
    recover: (recovery) => named('recover', recoverLocal(io, recovery)),
    start: (recovered, fenced) => named('start', start(recovered, fenced)),
  };
}

async function named<T>(operation: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storageError(operation, 'the log', error);
  }
}
