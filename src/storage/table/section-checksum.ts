/** Checksums of a table's sections, seeded with the table's name and the section's number: a misplaced section is caught too. */

import { crc32 } from '#base';

/** Section numbers: data blocks count from 0, partitions of the index from here, and the two last ones stand alone. */
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

/** For messages: "block 7", "index partition 0". */
export function describeSection(section: number): string {
  if (section === sections.footer) return 'the footer';
  if (section === sections.topIndex) return 'the top index';
  if (section >= sections.partition) return `index partition ${section - sections.partition}`;
  return `block ${section}`;
}
