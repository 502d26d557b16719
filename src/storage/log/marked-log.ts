/**
 * The log of a writer that has not closed. The newest manifest names the segment in which it
 * continues, and each segment but the last has a mark that another one follows. A segment is
 * durable with its header before the manifest or a mark names it, so a missing one was lost.
 */

import { segmentName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { LogExtent } from './log.ts';
import { alignGroup, recordHeaderBytes, type SegmentId } from './record.ts';
import type { SegmentScan } from './scan.ts';
import { parseSegmentMark, recordsFrom, type SegmentHeader, type SegmentMark } from './segment.ts';
import { damagedBefore, type LogReading, readHeader } from './segment-reading.ts';

/** Reads the log. `segments` are the listed ones, in ascending order. */
export async function readMarked(
  reading: LogReading,
  segments: readonly SegmentId[],
  extent: LogExtent,
): Promise<void> {
  const epoch = reading.recovery.sealedBefore;
  const last = segments.at(-1)?.segment ?? 0;
  let evidence = 'the newest remaining manifest names it as the continuation of the log';
  for (let { segment } = extent; ; segment++) {
    const read = await readSegment(reading, { epoch, segment }, evidence, extent);
    const name = segmentName(epoch, segment);
    if (read.mark === undefined && segment >= last) {
      refuseLost(reading, name, read.scan, extent);
      return;
    }
    evidence =
      read.mark === undefined
        ? `${segmentName(epoch, last)} follows it`
        : `the mark in ${name} names it`;
  }
}

interface ReadSegment {
  readonly scan: SegmentScan;
  readonly mark: SegmentMark | undefined;
}

async function readSegment(
  reading: LogReading,
  id: SegmentId,
  evidence: string,
  extent: LogExtent,
): Promise<ReadSegment> {
  const name = segmentName(id.epoch, id.segment);
  const image = present(reading, name, evidence);
  const header = readHeader(image, id);
  if (header === undefined) {
    const isEmpty = image.length === 0;
    const detail = isEmpty ? 'the segment is empty' : 'the header of the segment is damaged';
    throw damaged(reading, name, 0, detail);
  }
  const scan = reading.scan(image, id, header);
  const mark = parseSegmentMark(new DataView(image.buffer, image.byteOffset, image.byteLength), id);
  if (image.length < header.bytes) {
    const isUnused = holdsAll(reading, { image, header, scan, mark }, extent);
    const lost = isUnused
      ? 'the missing part contained no record, so none is lost'
      : lostAfter(reading);
    const detail = `the segment is truncated, it had ${header.bytes} bytes`;
    throw new StorageError({ kind: 'corrupt', object: name, offset: image.length, detail, lost });
  }
  checkEnd(reading, name, scan, mark);
  await reading.keep(image, id, scan);
  return { scan, mark };
}

interface Cut extends ReadSegment {
  readonly image: Uint8Array;
  readonly header: SegmentHeader;
}

/** Returns true if the remaining part of a truncated segment shows the end of its records. */
function holdsAll(
  { chain, recovery }: LogReading,
  { image, header, scan, mark }: Cut,
  { record }: LogExtent,
): boolean {
  if (mark !== undefined) return scan.end === mark.end && chain.record === mark.lastRecord;
  // A following group would begin at this offset, and there is none.
  const next = scan.end === 0 ? recordsFrom(header) : alignGroup(scan.end);
  const isSeen = next + recordHeaderBytes <= image.length;
  return isSeen && scan.fault === undefined && Math.max(chain.record, recovery.boundary) >= record;
}

function present(reading: LogReading, name: string, evidence: string): Uint8Array {
  const image = reading.image(name);
  if (image !== undefined) return image;
  throw reading.vanished(name, evidence, lostAfter(reading));
}

/**
 * Checks the end of a segment. A group is written only after the previous one was synced, so only
 * the last group of the last segment may be torn.
 */
function checkEnd(
  reading: LogReading,
  name: string,
  { chain, end, fault }: SegmentScan,
  mark: SegmentMark | undefined,
): void {
  const detail = `record ${chain.record + 1} is damaged`;
  if (fault?.survivor !== undefined) {
    throw damagedBefore(name, { offset: fault.offset, detail }, chain, fault.survivor);
  }
  if (mark === undefined) {
    if (fault !== undefined) reading.torn = `${name}:${fault.offset}`;
  } else if (end !== mark.end || chain.record !== mark.lastRecord) {
    throw damaged(reading, name, end, detail);
  }
}

/**
 * Throws if records that the manifest names are missing. A manifest is never older than its
 * information on the log.
 */
function refuseLost(
  { chain, recovery }: LogReading,
  object: string,
  { end }: SegmentScan,
  { record }: LogExtent,
): void {
  if (Math.max(chain.record, recovery.boundary) >= record) return;
  const detail = `record ${chain.record + 1} is damaged or missing`;
  const lost = `records up to ${record} would be lost from here on`;
  throw new StorageError({ kind: 'corrupt', object, offset: end, detail, lost });
}

function damaged(reading: LogReading, object: string, offset: number, detail: string) {
  return new StorageError({ kind: 'corrupt', object, offset, detail, lost: lostAfter(reading) });
}

function lostAfter({ chain }: LogReading): string {
  return `all records after ${chain.record} would be lost`;
}
