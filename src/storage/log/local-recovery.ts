/**
 * Reads the log of earlier epochs in `wal/` (docs/storage-format.md, "Opening").
 *
 * Sealed segments are valid up to their seal and must be intact up to there. The segments of the
 * epoch of the newest manifest are read to their end, unless their writer sealed them when it
 * closed. Their records are made durable before any caller relies on them.
 */

import type { DirectoryIo } from '../object/directory-io.ts';
import { segmentName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { LogRecovery, RecoveredLog, SegmentSeal } from './log.ts';
import { readMarked } from './marked-log.ts';
import { bySegment, listSegments } from './segment-files.ts';
import { LogReading, readHeader } from './segment-reading.ts';
import { refuseForeignSegments, refuseUnknown } from './unknown-epochs.ts';
import { readUnmarked } from './unmarked-log.ts';

export async function recoverLocal(io: DirectoryIo, recovery: LogRecovery): Promise<RecoveredLog> {
  const reading = new LogReading(io, recovery);
  const segments = listSegments(io);
  // This check is first: if the newest manifest is lost, an older one may remain whose log has been
  // deleted for good reason.
  refuseUnknown(reading, segments);
  refuseForeignSegments(reading, segments);
  for (const seal of [...recovery.seals].sort(bySegment)) readSealed(reading, seal);
  if (!isClosed(recovery)) {
    const own = segments.filter(({ epoch }) => epoch === recovery.sealedBefore);
    if (recovery.extent === undefined) await readUnmarked(reading, own);
    else await readMarked(reading, own, recovery.extent);
  }
  const { chain, seals, torn, replayed } = reading;
  const isTrimmed = chain.record < recovery.boundary;
  return {
    epoch: recovery.epoch,
    seals,
    lastRecord: isTrimmed ? recovery.boundary : chain.record,
    lastCrc: isTrimmed ? 0 : (chain.crc ?? 0),
    torn,
    replayedRecords: replayed,
  };
}

/** Returns true if the newest manifest records that nothing follows its seals. */
function isClosed({ seals, sealedBefore, extent }: LogRecovery): boolean {
  return extent?.segment === 0 || seals.some(({ epoch }) => epoch === sealedBefore);
}

function readSealed(reading: LogReading, seal: SegmentSeal): void {
  if (seal.lastRecord <= reading.recovery.boundary) {
    reading.chain = { record: seal.lastRecord, crc: undefined };
    return;
  }
  const name = segmentName(seal.epoch, seal.segment);
  const lost = `records up to ${seal.lastRecord} would be lost from here on`;
  const damaged = (offset: number, detail: string) =>
    new StorageError({ kind: 'corrupt', object: name, offset, detail, lost });
  const image = reading.image(name, seal.bytes);
  if (image === undefined) {
    throw reading.vanished(name, 'the newest remaining manifest names it', lost);
  }
  const header = readHeader(image, seal);
  if (header === undefined) throw damaged(0, 'the header of the segment is damaged');
  const scan = reading.scan(image, seal, header);
  if (scan.chain.record !== seal.lastRecord || scan.end !== seal.bytes) {
    throw damaged(scan.end, `record ${scan.chain.record + 1} is damaged`);
  }
  reading.seals.push(seal);
}
