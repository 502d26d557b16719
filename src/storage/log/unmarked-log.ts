/**
 * The log of a writer without marks (format 1): consecutive segments, up to the first record that
 * breaks the chain.
 */

import { segmentName } from '../object/names.ts';
import type { SegmentId } from './record.ts';
import { recordBehindHeader } from './scan.ts';
import { damagedBefore, type LogReading, readHeader } from './segment-reading.ts';

/**
 * Reads the log. A segment without a header counts as empty, and a missing one as trimmed, unless
 * the record numbers of later segments show otherwise.
 */
export async function readUnmarked(
  reading: LogReading,
  segments: readonly SegmentId[],
): Promise<void> {
  for (const id of segments) await readSegment(reading, id);
}

async function readSegment(reading: LogReading, id: SegmentId): Promise<void> {
  const name = segmentName(id.epoch, id.segment);
  const image = reading.image(name);
  if (image === undefined) return;
  const header = readHeader(image, id);
  if (header === undefined) {
    refuseDamagedHeader(reading, id, image);
    return;
  }
  const scan = reading.scan(image, id, header);
  const { chain, fault } = scan;
  if (fault?.survivor !== undefined) {
    const detail = `record ${chain.record + 1} is damaged`;
    throw damagedBefore(name, { offset: fault.offset, detail }, chain, fault.survivor);
  }
  if (fault !== undefined) reading.torn = `${name}:${fault.offset}`;
  await reading.keep(image, id, scan);
}

/** Throws if synced records follow a damaged header. */
function refuseDamagedHeader(reading: LogReading, id: SegmentId, image: Uint8Array): void {
  const survivor = recordBehindHeader(image, id);
  if (survivor === undefined) return;
  const fault = { offset: 0, detail: 'the header of the segment is damaged' };
  throw damagedBefore(segmentName(id.epoch, id.segment), fault, reading.chain, survivor);
}
