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
  const used = later.findLast((id) => isUsed(reading, id));
  if (used !== undefined) throw manifestMissing(used.epoch, segmentName(used.epoch, used.segment));
  // The writer of a segment that follows a record has read one: before any manifest there is none. Whose manifest that was is not known.
  const follower = sealedBefore > 0 ? undefined : later.find((id) => followsRecord(reading, id));
  if (follower !== undefined) {
    throw manifestMissing(1, segmentName(follower.epoch, follower.segment));
  }
}

/** Segments of a database that was there before the store was begun are no leftovers of it. Throws `foreign`. */
export function refuseForeignSegments(reading: LogReading, segments: readonly SegmentId[]): void {
  const { begun = 1 } = reading.recovery;
  const foreign = segments.find((id) => id.epoch < begun && isUsed(reading, id));
  if (foreign === undefined) return;
  const object = segmentName(foreign.epoch, foreign.segment);
  throw new StorageError({ kind: 'foreign', object, begun });
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

/** Records, and segments after the first, are written once there is a manifest of their epoch. */
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
