/**
 * The last 64 bytes of an SSTable.
 *
 *     u32 magic | u32 format | u32 blocks | u32 partitions | f64 entries | f64 deletions | f64 sequence min | f64 sequence max
 *     u32 top index at | u32 top index bytes | u32 top index checksum | u32 checksum of the 60 bytes before
 */

import { ByteReader, ByteWriter } from '#base';

/**
 * In this format, blocks may store rows as columns. A program that supports only format 1 cannot
 * read these.
 */
export const tableFormat = 2;
const formatsKnown = [1, tableFormat];
export const footerBytes = 64;
const magic = 0x7463_7673; // "svct"

export interface Footer {
  readonly blocks: number;
  readonly partitions: number;
  readonly entries: number;
  readonly deletions: number;
  readonly sequenceMin: number;
  readonly sequenceMax: number;
  readonly topAt: number;
  readonly topBytes: number;
  readonly topChecksum: number;
}

/** Encodes a footer. `checksum` returns the checksum of its argument. */
export function encodeFooter(footer: Footer, checksum: (bytes: Uint8Array) => number): Uint8Array {
  const out = new ByteWriter(footerBytes);
  out.u32(magic);
  out.u32(tableFormat);
  out.u32(footer.blocks);
  out.u32(footer.partitions);
  out.f64(footer.entries);
  out.f64(footer.deletions);
  out.f64(footer.sequenceMin);
  out.f64(footer.sequenceMax);
  out.u32(footer.topAt);
  out.u32(footer.topBytes);
  out.u32(footer.topChecksum);
  out.u32(checksum(out.peek()));
  return out.take();
}

/** Returns the checksum that a footer contains. */
export function footerChecksum(bytes: Uint8Array): number {
  return new ByteReader(bytes, footerBytes - 4).u32();
}

export interface FooterRead extends Footer {
  /** Partitions of the index have zones. */
  readonly hasZones: boolean;
}

/**
 * The reason why a footer is unusable: the magic number is wrong, the checksum does not match, or
 * the format is newer than this program.
 */
export type FooterFault = 'magic' | 'checksum' | { readonly format: number };

export function decodeFooter(
  bytes: Uint8Array,
  checksum: (bytes: Uint8Array) => number,
): FooterRead | FooterFault {
  const reader = new ByteReader(bytes);
  if (reader.u32() !== magic) return 'magic';
  const format = reader.u32();
  const rest = {
    blocks: reader.u32(),
    partitions: reader.u32(),
    entries: reader.f64(),
    deletions: reader.f64(),
    sequenceMin: reader.f64(),
    sequenceMax: reader.f64(),
    topAt: reader.u32(),
    topBytes: reader.u32(),
    topChecksum: reader.u32(),
  };
  if (reader.u32() !== checksum(bytes.subarray(0, footerBytes - 4))) return 'checksum';
  return formatsKnown.includes(format) ? { ...rest, hasZones: format > 1 } : { format };
}
