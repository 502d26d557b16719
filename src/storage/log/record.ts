/**
 * Bytes of records and groups (docs/storage-format.md, "Log").
 *
 * Records start at multiples of 8 and groups at multiples of 4,096. The length field of a record
 * therefore never crosses a group boundary, and a length of 0 always means padding up to the next
 * boundary.
 */

import { crc32 } from '#base';

export const groupAlignment = 4096;
export const recordHeaderBytes = 32;
const recordAlignment = 8;
const dataRecord = 1;
const startsGroup = 1;
const twoTo32 = 0x1_0000_0000;

export interface SegmentId {
  readonly epoch: number;
  readonly segment: number;
}

/** The last record so far and its checksum, which the next record repeats. */
export interface Chain {
  readonly record: number;
  /** Checksum of that record; `undefined` if no remaining segment contains the record. */
  readonly crc: number | undefined;
}

export function alignGroup(offset: number): number {
  return Math.ceil(offset / groupAlignment) * groupAlignment;
}

export function alignRecord(offset: number): number {
  return Math.ceil(offset / recordAlignment) * recordAlignment;
}

/**
 * Writes the header of a record except for its length, which is at `at` already, as is the payload.
 * Returns the checksum.
 */
export function sealRecord(
  view: DataView,
  at: number,
  id: SegmentId,
  chain: Chain,
  first: boolean,
): number {
  const length = view.getUint32(at + 4, true);
  view.setUint32(at + 8, dataRecord | (first ? startsGroup << 8 : 0), true);
  view.setUint32(at + 12, id.epoch, true);
  view.setUint32(at + 16, id.segment, true);
  view.setUint32(at + 20, chain.crc ?? 0, true);
  setNumber(view, at + 24, chain.record + 1);
  const crc = crc32(bytesOf(view, at + 4, at + length));
  view.setUint32(at, crc, true);
  return crc;
}

export interface ParsedRecord {
  readonly record: number;
  readonly crc: number;
  readonly previousCrc: number;
  readonly startsGroup: boolean;
  /** End of the payload. */
  readonly end: number;
}

/** Returns the record of segment `id` at `at`; `undefined` if there is no intact one. */
export function parseRecord(view: DataView, at: number, id: SegmentId): ParsedRecord | undefined {
  if (at + recordHeaderBytes > view.byteLength) return undefined;
  const length = view.getUint32(at + 4, true);
  if (length < recordHeaderBytes || at + length > view.byteLength) return undefined;
  if (view.getUint32(at + 12, true) !== id.epoch) return undefined;
  if (view.getUint32(at + 16, true) !== id.segment) return undefined;
  const crc = view.getUint32(at, true);
  if (crc32(bytesOf(view, at + 4, at + length)) !== crc) return undefined;
  if (view.getUint8(at + 8) !== dataRecord) return undefined;
  return {
    record: getNumber(view, at + 24),
    crc,
    previousCrc: view.getUint32(at + 20, true),
    startsGroup: (view.getUint8(at + 9) & startsGroup) !== 0,
    end: at + length,
  };
}

/** Returns true if the length of a record marks the rest of the group as padding. */
export function isPadding(view: DataView, at: number): boolean {
  return at + recordAlignment > view.byteLength || view.getUint32(at + 4, true) === 0;
}

/** Returns true if the bytes at `at` have the header of a record of `id`, intact or not. */
export function claimsRecord(view: DataView, at: number, id: SegmentId): boolean {
  if (at + recordHeaderBytes > view.byteLength) return false;
  return view.getUint32(at + 12, true) === id.epoch && view.getUint32(at + 16, true) === id.segment;
}

export function bytesOf(view: DataView, from: number, to: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + from, to - from);
}

export function setNumber(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % twoTo32, true);
  view.setUint32(at + 4, Math.floor(value / twoTo32), true);
}

export function getNumber(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * twoTo32 + view.getUint32(at, true);
}
