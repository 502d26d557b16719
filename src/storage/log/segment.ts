/**
 * The first two blocks of a segment (docs/storage-format.md, "Log"). The header is durable before
 * the segment has its name. The mark states that another segment follows. The writer writes the
 * mark when that segment is durable and nothing more will be written to this one.
 *
 * Header and mark have separate blocks, so that writing one never endangers the other.
 */

import { crc32 } from '#base';
import {
  bytesOf,
  type Chain,
  getNumber,
  groupAlignment,
  type SegmentId,
  setNumber,
} from './record.ts';

export const logVersion = 2;
/** Offset of the first group. */
export const groupsFrom = 2 * groupAlignment;
export const markOffset = groupAlignment;

/**
 * Segments of this version have no mark. Their header has the same bytes, and is written together
 * with the first group, which follows it directly.
 */
export const unmarkedVersion = 1;
export const unmarkedHeaderBytes = 40;

const headerBytes = 40;
const markBytes = 40;
const headerMagic = Buffer.from('svc-log\n');
const markMagic = Buffer.from('svc-end\n');

export interface SegmentHeader {
  readonly version: number;
  readonly firstRecord: number;
  readonly previousCrc: number;
  /** Size of the file; 0 in a segment without a mark. */
  readonly bytes: number;
}

/**
 * Returns the first block of segment `id`, a file of `bytes`, whose first record follows `chain`.
 */
export function segmentHeader(id: SegmentId, chain: Chain, bytes: number): Uint8Array {
  const block = new Uint8Array(groupAlignment);
  const view = new DataView(block.buffer);
  block.set(headerMagic);
  view.setUint32(8, logVersion, true);
  view.setUint32(12, id.epoch, true);
  view.setUint32(16, id.segment, true);
  view.setUint32(20, chain.crc ?? 0, true);
  setNumber(view, 24, chain.record + 1);
  view.setUint32(32, bytes / groupAlignment, true);
  view.setUint32(36, crc32(block.subarray(0, 36)), true);
  return block;
}

/**
 * Returns the header of segment `id`; `undefined` if none was ever written to it, or if it is
 * damaged.
 */
export function parseSegmentHeader(view: DataView, id: SegmentId): SegmentHeader | undefined {
  if (view.byteLength < headerBytes) return undefined;
  if (!headerMagic.equals(bytesOf(view, 0, 8))) return undefined;
  if (view.getUint32(36, true) !== crc32(bytesOf(view, 0, 36))) return undefined;
  if (view.getUint32(12, true) !== id.epoch) return undefined;
  if (view.getUint32(16, true) !== id.segment) return undefined;
  return {
    version: view.getUint32(8, true),
    firstRecord: getNumber(view, 24),
    previousCrc: view.getUint32(20, true),
    bytes: view.getUint32(32, true) * groupAlignment,
  };
}

/** The end of a segment, as its mark records it. */
export interface SegmentMark {
  /** The end of its last record; 0 if it has none. */
  readonly end: number;
  /** The number of its last record; that of its predecessor if the segment contains none. */
  readonly lastRecord: number;
}

/**
 * Returns the second block of segment `id`, which states that the segment is complete and the next
 * one exists.
 */
export function segmentMark(id: SegmentId, mark: SegmentMark): Uint8Array {
  const block = new Uint8Array(groupAlignment);
  const view = new DataView(block.buffer);
  block.set(markMagic);
  view.setUint32(8, id.epoch, true);
  view.setUint32(12, id.segment, true);
  setNumber(view, 16, mark.end);
  setNumber(view, 24, mark.lastRecord);
  view.setUint32(36, crc32(block.subarray(0, 36)), true);
  return block;
}

/**
 * Returns the mark of segment `id`; `undefined` if it has none. The segment then is the last one,
 * or the one before a last segment that is still empty.
 */
export function parseSegmentMark(view: DataView, id: SegmentId): SegmentMark | undefined {
  if (view.byteLength < markOffset + markBytes) return undefined;
  const at = (offset: number): number => view.getUint32(markOffset + offset, true);
  if (!markMagic.equals(bytesOf(view, markOffset, markOffset + 8))) return undefined;
  if (at(36) !== crc32(bytesOf(view, markOffset, markOffset + 36))) return undefined;
  if (at(8) !== id.epoch || at(12) !== id.segment) return undefined;
  return { end: getNumber(view, markOffset + 16), lastRecord: getNumber(view, markOffset + 24) };
}

/** Returns the offset of the first record of a segment. */
export function recordsFrom({ version }: Pick<SegmentHeader, 'version'>): number {
  return version === unmarkedVersion ? unmarkedHeaderBytes : groupsFrom;
}
