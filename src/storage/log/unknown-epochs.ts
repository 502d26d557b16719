/**
 * Segments of epochs after that of the newest manifest. Their writers created only a first segment
 * without a record. A segment with more content belongs to a lost manifest.
 */

import { manifestsOf, segmentName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { SegmentId } from './record.ts';
import { recordBehind, recordBehindHeader } from './scan.ts';
import { recordsFrom } from './segment.ts';
import { type LogReading, readHeader } from './segment-reading.ts';

/**
 * Throws `vanished` if a segment shows that a manifest is missing. `segments` must be in ascending
 * order.
 */
export function refuseUnknown(reading: LogReading, segments: readonly SegmentId[]): void {
  const { sealedBefore, epoch } = reading.recovery;
  const later = segments.filter((id) => id.epoch > sealedBefore && id.epoch < epoch);
  const used = later.findLast((id) => isUsed(reading, id));
  if (used !== undefined) throw manifestMissing(used.epoch, segmentName(used.epoch, used.segment));
  // The writer of a segment that follows a record has read a manifest, because no record exists
  // before the first one. The epoch of that manifest is not known.
  const follower = sealedBefore > 0 ? undefined : later.find((id) => followsRecord(reading, id));
  if (follower !== undefined) {
    throw manifestMissing(1, segmentName(follower.epoch, follower.segment));
  }
}

/**
 * Throws `foreign` if a segment belongs to a database that was in the storage location before this
 * store was created. This store does not delete them as orphaned segments.
 */
export function refuseForeignSegments(reading: LogReading, segments: readonly SegmentId[]): void {
  const { begun = 1 } = reading.recovery;
  const foreign = segments.find((id) => id.epoch < begun && isUsed(reading, id));
  if (foreign === undefined) return;
  const object = segmentName(foreign.epoch, foreign.segment);
  throw new StorageError({ kind: 'foreign', object, begun });
}

/**
 * Returns the failure for a missing newest manifest, whose epoch is at least `epoch`. `witness` is
 * the object that proves it.
 */
export function manifestMissing(epoch: number, witness: string): StorageError {
  return new StorageError({
    kind: 'vanished',
    object: manifestsOf(epoch),
    evidence: `${witness} shows that there was one, or a later one`,
    lost: 'its information on SSTables and log would be lost',
  });
}

/**
 * Returns true if the segment has a record or is not the first. Both occur only after a manifest of
 * its epoch.
 */
function isUsed(reading: LogReading, id: SegmentId): boolean {
  const image = reading.image(segmentName(id.epoch, id.segment));
  if (image === undefined) return false;
  const header = readHeader(image, id);
  if (header === undefined) return recordBehindHeader(image, id) !== undefined;
  return id.segment > 1 || recordBehind(image, id, recordsFrom(header)) !== undefined;
}

function followsRecord(reading: LogReading, id: SegmentId): boolean {
  const image = reading.image(segmentName(id.epoch, id.segment));
  const header = image && readHeader(image, id);
  return header !== undefined && header.firstRecord > 1;
}
