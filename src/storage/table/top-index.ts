/**
 * The top of a table's index: where the partitions are and what separates them. The top stays in memory while the table is open.
 *
 *     u32 partitions, and for each: u32 at | u32 bytes | u32 checksum | u32 rows | u32 first block | u32 length of separator | separator
 */

import { ByteReader, ByteWriter } from '#base';

export interface PartitionReference {
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
  readonly rows: number;
  readonly firstBlock: number;
  /** That of its last block. */
  readonly separator: Uint8Array;
}

export function encodeTopIndex(partitions: readonly PartitionReference[]): Uint8Array {
  const out = new ByteWriter(1024);
  out.u32(partitions.length);
  for (const partition of partitions) {
    out.u32(partition.at);
    out.u32(partition.bytes);
    out.u32(partition.checksum);
    out.u32(partition.rows);
    out.u32(partition.firstBlock);
    out.u32(partition.separator.length);
    out.append(partition.separator);
  }
  return out.take();
}

export function decodeTopIndex(bytes: Uint8Array): readonly PartitionReference[] {
  const reader = new ByteReader(bytes);
  const partitions: PartitionReference[] = [];
  for (let count = reader.u32(); count > 0; count--) {
    partitions.push({
      at: reader.u32(),
      bytes: reader.u32(),
      checksum: reader.u32(),
      rows: reader.u32(),
      firstBlock: reader.u32(),
      separator: reader.take(reader.u32()),
    });
  }
  return partitions;
}

/** The first partition whose separator is at or above `key`; the count of partitions when there is none. */
export function findPartition(partitions: readonly PartitionReference[], key: Uint8Array): number {
  let low = 0;
  let high = partitions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { separator } = partitions[middle] as PartitionReference;
    if (Buffer.compare(separator, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
