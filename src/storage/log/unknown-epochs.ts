/**
 * Segments of epochs that are later than the newest manifest. Their writers got no further than a first segment without a record: whatever
 * holds more belonged to a manifest that is gone.
 */

import { manifestsOf, segmentName } from '../object/names.ts';
import { StorageError } from '../object/trouble.ts';
import type { SegmentId } from './record.ts';
import { recordBehind } from './scan.ts';
import { recordsFrom } from './segment.ts';
import { type LogReading, readHeader } from './segment-reading.ts';
import { refuseDamagedHeader } from './unmarked-log.ts';

/** Once the log up to the newest manifest's epoch was read. Throws `vanished`. */
export function refuseUnknown(reading: LogReading, segments: readonly SegmentId[]): void {
  const { sealedBefore, epoch } = reading.recovery;
  for (const id of segments) {
    if (id.epoch <= sealedBefore || id.epoch >= epoch || isUnused(reading, id)) continue;
    throw new StorageError({
      kind: 'vanished',
      object: manifestsOf(id.epoch),
      evidence: `${segmentName(id.epoch, id.segment)} shows that there was one`,
      lost: 'what it said of tables and log would be lost',
    });
  }
}

function isUnused(reading: LogReading, id: SegmentId): boolean {
  const image = reading.image(segmentName(id.epoch, id.segment));
  if (image === undefined) return true;
  const header = readHeader(image, id);
  if (header === undefined) {
    refuseDamagedHeader(reading, id, image);
    return true;
  }
  if (id.segment > 1 || recordBehind(image, id, recordsFrom(header)) !== undefined) return false;
  // It may have read a record that another writer could not acknowledge any more; but before any manifest there is no record.
  return reading.recovery.sealedBefore > 0 || header.firstRecord === 1;
}
