/**
 * Checksums of the sections of an SSTable. Each checksum is seeded with the name of the SSTable and
 * the number of the section, so that it also detects a misplaced section.
 */

import { crc32 } from '#base';

/**
 * Section numbers: data blocks count from 0, and partitions of the index count from `partition`.
 * The last two numbers are those of single sections.
 */
export const sections = {
  partition: 0x8000_0000,
  topIndex: 0xffff_fffe,
  footer: 0xffff_ffff,
} as const;

export function seedOfTable(name: string): number {
  return crc32(Buffer.from(name));
}

export function sectionChecksum(bytes: Uint8Array, tableSeed: number, section: number): number {
  return crc32(bytes, (tableSeed ^ Math.imul(section + 1, 0x9e37_79b1)) >>> 0);
}

/** Returns a description for messages, for example "block 7" or "index partition 0". */
export function describeSection(section: number): string {
  if (section === sections.footer) return 'the footer';
  if (section === sections.topIndex) return 'the top index';
  if (section >= sections.partition) return `index partition ${section - sections.partition}`;
  return `block ${section}`;
}
