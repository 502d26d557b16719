/** Reads the records of one segment image and distinguishes a torn tail from damage. */

import {
  alignGroup,
  alignRecord,
  type Chain,
  claimsRecord,
  groupAlignment,
  isPadding,
  type ParsedRecord,
  parseRecord,
  recordHeaderBytes,
  type SegmentId,
} from './record.ts';
import { unmarkedHeaderBytes } from './segment.ts';

export interface SegmentScan {
  /** The end of the last intact record of the chain. */
  readonly end: number;
  /**
   * The start of the group of that record; 0 if the segment header is part of it, as in format 1.
   */
  readonly lastGroup: number;
  readonly chain: Chain;
  /** Set if there are bytes after `end` that are not a record of the chain. */
  readonly fault: SegmentFault | undefined;
}

/**
 * Without `survivor`, the fault is a torn tail. A group is written only after the previous one was
 * synced, so an incomplete group without a later one was never acknowledged. `survivor` is the
 * number of a record in such a later group.
 */
interface SegmentFault {
  readonly offset: number;
  readonly survivor: number | undefined;
}

type Visit = (payload: Uint8Array, record: number) => void;

interface ScanStart {
  /** Id of the segment, whose header must be valid. */
  readonly id: SegmentId;
  /** The chain that the first record must continue. */
  readonly chain: Chain;
  /** The offset of the first record. */
  readonly from: number;
}

/** Visits the records of a segment. Bytes beyond `image` are ignored. */
export function scanRecords(
  image: Uint8Array,
  { id, chain, from }: ScanStart,
  visit: Visit,
): SegmentScan {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  let { record, crc } = chain;
  let end = 0;
  let lastGroup = 0;
  let at = from;
  for (;;) {
    if (isPadding(view, at)) at = alignGroup(at);
    const parsed = parseRecord(view, at, id);
    if (parsed === undefined || !follows(parsed, record, crc)) break;
    if (parsed.startsGroup && at > unmarkedHeaderBytes) lastGroup = at;
    visit(image.subarray(at + recordHeaderBytes, parsed.end), parsed.record);
    ({ record, crc, end } = parsed);
    at = alignRecord(end);
  }
  return { end, lastGroup, chain: { record, crc }, fault: faultAt(view, at, id, record) };
}

function follows(parsed: ParsedRecord, record: number, crc: number | undefined): boolean {
  return parsed.record === record + 1 && (crc === undefined || parsed.previousCrc === crc);
}

function faultAt(
  view: DataView,
  at: number,
  id: SegmentId,
  record: number,
): SegmentFault | undefined {
  const survivor = firstGroupFrom(view, alignGroup(at), id, record);
  if (survivor !== undefined) return { offset: at, survivor };
  return claimsRecord(view, at, id) ? { offset: at, survivor: undefined } : undefined;
}

/**
 * Returns the number of the first record above `record` that starts a group of segment `id` at
 * `from` or later.
 */
function firstGroupFrom(
  view: DataView,
  from: number,
  id: SegmentId,
  record: number,
): number | undefined {
  for (let at = from; at + recordHeaderBytes <= view.byteLength; at += groupAlignment) {
    const parsed = parseRecord(view, at, id);
    if (parsed?.startsGroup === true && parsed.record > record) return parsed.record;
  }
  return undefined;
}

/**
 * Returns the number of a record in a segment whose header is damaged; `undefined` if no durable
 * record was ever written to it. The first group proves nothing, because in format 1 it may be torn
 * together with the header.
 */
export function recordBehindHeader(image: Uint8Array, id: SegmentId): number | undefined {
  return recordBehind(image, id, groupAlignment);
}

/** Returns the number of the first record that starts a group at `from` or later. */
export function recordBehind(image: Uint8Array, id: SegmentId, from: number): number | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  return firstGroupFrom(view, alignGroup(from), id, 0);
}
