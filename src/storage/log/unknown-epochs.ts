/**
 * Segments of epochs that are later than the newest manifest. Their writers got no further than a first segment without a record: whatever
 * holds more belonged to a manifest that is gone.
 */

import { manifestsOf, segmentName } from '../object/names.ts';
import { StorageError } from '../object/trouble.ts';
import type { SegmentId } from './record.ts';
import { recordBehind, recordBehindHeader } from './scan.ts';
import { recordsFrom } from './segment.ts';
import { type LogReading, readHeader } from './segment-reading.ts';

/** `segments`: ascending. Throws `vanished`. */
export function refuseUnknown(reading: LogReading, segments: readonly SegmentId[]): void {
  const { sealedBefore, epoch } = reading.recovery;
  const later = segments.filter((id) => id.epoch > sealedBefore && id.epoch < epoch);
  const witness = later.findLast((id) => !isUnused(reading, id));
  if (witness !== undefined) {
    throw manifestMissing(witness.epoch, segmentName(witness.epoch, witness.segment));
  }
}

/** The newest manifest is gone, of this epoch at the earliest, as `witness` shows. */
export function manifestMissing(epoch: number, witness: string): StorageError {
  return new StorageError({
    kind: 'vanished',
    object: manifestsOf(epoch),
    evidence: `${witness} shows that there was one, or a later one`,
    lost: 'what it said of tables and log would be lost',
  });
}

function isUnused(reading: LogReading, id: SegmentId): boolean {
  const image = reading.image(segmentName(id.epoch, id.segment));
  if (image === undefined) return true;
  const header = readHeader(image, id);
  // Records are written once there is a manifest of their epoch.
  if (header === undefined) return recordBehindHeader(image, id) === undefined;
  if (id.segment > 1 || recordBehind(image, id, recordsFrom(header)) !== undefined) return false;
  // The unknown epoch may have read a record that another writer could not acknowledge any more; but before any manifest there is no record.
  return reading.recovery.sealedBefore > 0 || header.firstRecord === 1;
}
