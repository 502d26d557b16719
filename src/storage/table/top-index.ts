/**
 * The top of the index of an SSTable: the positions of the partitions, the separators between them,
 * and the zones of their values. The top stays in memory while the SSTable is open.
 *
 *     u32 partitions, and for each: u32 at | u32 bytes | u32 checksum | u32 rows | u32 first block | u32 length of separator | separator; zones
 *
 * The top index of SSTables of earlier programs ends after the last separator. Those programs do
 * not read further.
 */

import { ByteReader, ByteWriter, compareBytes } from '#base';
import { appendZones, type BlockFacts, ZoneMap } from './zones.ts';

export interface PartitionReference {
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
  readonly rows: number;
  readonly firstBlock: number;
  /** The separator of the last block of the partition. */
  readonly separator: Uint8Array;
}

interface TopIndex {
  readonly partitions: readonly PartitionReference[];
  /** The zones of each partition as a whole. */
  readonly zones: ZoneMap | undefined;
}

/** A partition, with the facts on all its blocks together. */
export interface PartitionSummary extends PartitionReference, BlockFacts {}

export function encodeTopIndex(partitions: readonly PartitionSummary[]): Uint8Array {
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
  appendZones(partitions, out);
  return out.take();
}

export function decodeTopIndex(bytes: Uint8Array): TopIndex {
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
  const zones = reader.at < bytes.length ? new ZoneMap(bytes, partitions.length) : undefined;
  return { partitions, zones };
}

/**
 * Returns the first partition whose separator is at or above `key`; the number of partitions if
 * there is none.
 */
export function findPartition(partitions: readonly PartitionReference[], key: Uint8Array): number {
  let low = 0;
  let high = partitions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { separator } = partitions[middle] as PartitionReference;
    if (compareBytes(separator, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
