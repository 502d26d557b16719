/** Writes data blocks, and after every 64 of them the partition of the index that locates them. */

import { invariant } from '#base';
import type { StoredEntry } from '../cursor/internal-cursor.ts';
import { HashPair, hashKey } from '../key/key-hash.ts';
import { buildFilter, probesFor } from './bloom.ts';
import type { EncodedBlock } from './encode-block.ts';
import type { FileTail } from './file-tail.ts';
import { type BlockReference, type BloomFilter, encodePartition } from './index-partition.ts';
import { sections } from './section-checksum.ts';
import type { TableOptions } from './table-options.ts';
import type { PartitionSummary } from './top-index.ts';
import { zonesOfAll } from './zones.ts';

const blocksPerPartition = 64;
const fileBytesMax = 0xffff_ffff;

export class PartitionBuilder {
  blocks = 0;
  private readonly tail: FileTail;
  private readonly options: TableOptions;
  private readonly partitions: PartitionSummary[] = [];
  private readonly open: BlockReference[] = [];
  private readonly hash = new HashPair();
  private hashes = new Uint32Array(4096);
  private keys = 0;

  constructor(tail: FileTail, options: TableOptions) {
    this.tail = tail;
    this.options = options;
  }

  /** Adds the key of `entry` to the filter. Call it once per key. */
  addKey(entry: StoredEntry): void {
    const key = this.keys++;
    if (2 * key === this.hashes.length) {
      const grown = new Uint32Array(this.hashes.length * 2);
      grown.set(this.hashes);
      this.hashes = grown;
    }
    hashKey(entry.key, entry.keyFrom, entry.keyTo, this.hash);
    this.hashes[2 * key] = this.hash.first;
    this.hashes[2 * key + 1] = this.hash.second;
  }

  /** Writes the block of the keys that were added since the previous block. */
  addBlock(block: EncodedBlock, rows: number, separator: Uint8Array): void {
    const { bytes, zones, isPlain } = block;
    const at = this.tail.length;
    invariant(at + bytes.length <= fileBytesMax, 'an SSTable stays below 4 GiB');
    const checksum = this.tail.append(bytes, this.blocks);
    this.open.push({ at, bytes: bytes.length, checksum, rows, separator, zones, isPlain });
    this.blocks++;
    if (this.open.length === blocksPerPartition) this.close(true);
  }

  finish(): readonly PartitionSummary[] {
    const isSmall = this.partitions.length === 0 && this.keys < this.options.filterKeysMin;
    if (this.open.length > 0) this.close(!isSmall);
    return this.partitions;
  }

  private close(hasFilter: boolean): void {
    const { open, options } = this;
    const firstBlock = this.blocks - open.length;
    const filter: BloomFilter | undefined =
      hasFilter && options.bloomBitsPerKey > 0
        ? {
            bytes: buildFilter(this.hashes, this.keys, options.bloomBitsPerKey),
            probes: probesFor(options.bloomBitsPerKey),
          }
        : undefined;
    const bytes = encodePartition(open, firstBlock, filter);
    const at = this.tail.length;
    const checksum = this.tail.append(bytes, sections.partition + this.partitions.length);
    this.partitions.push({
      at,
      bytes: bytes.length,
      checksum,
      rows: open.reduce((sum, block) => sum + block.rows, 0),
      firstBlock,
      separator: (open[open.length - 1] as BlockReference).separator,
      zones: zonesOfAll(open.map(({ zones }) => zones)),
      isPlain: open.every(({ isPlain }) => isPlain),
    });
    open.length = 0;
    this.keys = 0;
  }
}
