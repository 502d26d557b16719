/**
 * A partition of the index of an SSTable: the positions of up to 64 blocks, the separators between
 * them, and a Bloom filter over their keys.
 *
 *     u32 blocks | u32 first block | u32 filter bytes | u32 probes
 *     u32 at[blocks + 1] | u32 checksum[blocks] | u32 rows[blocks] | u32 end of separator[blocks] | separators | filter | zones
 *
 * The separator of a block is at or above its last key and below the first key of the next block.
 */

import { ByteWriter, compareRanges } from '#base';
import type { ZoneBound } from '../contract/stored-block.ts';
import { mayContain } from './bloom.ts';
import { SeparatorHeads } from './separator-heads.ts';
import { appendZones, type BlockFacts, ZoneMap } from './zones.ts';

export interface BlockReference extends BlockFacts {
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
  readonly rows: number;
  readonly separator: Uint8Array;
}

export interface BloomFilter {
  readonly bytes: Uint8Array;
  readonly probes: number;
}

const headBytes = 16;

/** Encodes a partition. `blocks` must be contiguous in the file. */
export function encodePartition(
  blocks: readonly BlockReference[],
  firstBlock: number,
  filter: BloomFilter | undefined,
): Uint8Array {
  const out = new ByteWriter(4096);
  out.u32(blocks.length);
  out.u32(firstBlock);
  out.u32(filter === undefined ? 0 : filter.bytes.length);
  out.u32(filter === undefined ? 0 : filter.probes);
  for (const block of blocks) out.u32(block.at);
  const last = blocks[blocks.length - 1] as BlockReference;
  out.u32(last.at + last.bytes);
  for (const block of blocks) out.u32(block.checksum);
  for (const block of blocks) out.u32(block.rows);
  let end = 0;
  for (const block of blocks) {
    end += block.separator.length;
    out.u32(end);
  }
  for (const block of blocks) out.append(block.separator);
  if (filter !== undefined) out.append(filter.bytes);
  appendZones(blocks, out);
  return out.take();
}

export class IndexPartition {
  readonly bytes: Uint8Array;
  readonly blocks: number;
  readonly firstBlock: number;
  private readonly words: Uint32Array;
  private readonly separatorsAt: number;
  private readonly probes: number;
  private readonly filter: { bytes: Uint8Array; from: number; length: number };

  private readonly zones: ZoneMap | undefined;
  private heads: SeparatorHeads | undefined;

  /**
   * Opens a partition. `bytes` must start at a multiple of four in their buffer and have passed
   * their checksum. Partitions of SSTables of format 1 have no zones.
   */
  constructor(bytes: Uint8Array, hasZones = true) {
    this.bytes = bytes;
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
    this.words = words;
    this.blocks = words[0] as number;
    this.firstBlock = words[1] as number;
    const filterLength = words[2] as number;
    this.probes = words[3] as number;
    this.separatorsAt = headBytes + 4 * (4 * this.blocks + 1);
    this.zones = hasZones ? new ZoneMap(bytes, this.blocks) : undefined;
    const filterTo = bytes.length - (this.zones?.bytes ?? 0);
    this.filter = { bytes, from: filterTo - filterLength, length: filterLength };
  }

  /** Returns true if one of the bounds excludes all values of the block. */
  excludes(index: number, bounds: readonly ZoneBound[]): boolean {
    return this.zones?.excludes(index, bounds) ?? false;
  }

  /** Returns true if the block is known to be plain (plain-blocks.ts). */
  isPlain(index: number): boolean {
    return this.zones?.isPlain(index) ?? false;
  }

  blockAt(index: number): number {
    return this.words[4 + index] as number;
  }

  blockBytes(index: number): number {
    return this.blockAt(index + 1) - this.blockAt(index);
  }

  checksum(index: number): number {
    return this.words[5 + this.blocks + index] as number;
  }

  rows(index: number): number {
    return this.words[5 + 2 * this.blocks + index] as number;
  }

  /** Returns false if no block of this partition has a key with this hash. */
  mayContain(first: number, second: number): boolean {
    return this.filter.length === 0 || mayContain(this.filter, this.probes, first, second);
  }

  /**
   * Returns the first block, from `first` on, whose separator is at or above `key`; `blocks` if there is none. Fast for a key slightly above
   * the block `first`, whose predecessors must have only keys below `key`.
   */
  find(key: Uint8Array, first = 0): number {
    this.heads ??= this.headsOfAll();
    const { heads, blocks } = this;
    const shared = heads.compareStart(key);
    if (shared !== 0) return shared > 0 ? first : blocks;
    const head = heads.headOf(key);
    let low = first;
    let high = blocks;
    for (let step = 1; first > 0 && low + step <= blocks; step *= 2) {
      const at = low + step - 1;
      const order = heads.head(at) - head;
      if (order > 0) high = at;
      if (order >= 0) break;
      low = at + 1;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = heads.head(middle) - head || this.compareSeparator(middle, key);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  compareSeparator(index: number, key: Uint8Array): number {
    const from = this.separatorsAt + (index === 0 ? 0 : this.separatorEnd(index - 1));
    const to = this.separatorsAt + this.separatorEnd(index);
    return compareRanges(this.bytes, from, to, key, 0, key.length);
  }

  /**
   * Returns the separator: it is at or above every key of the block, and below those of the next
   * one.
   */
  separator(index: number): Uint8Array {
    const from = this.separatorsAt + (index === 0 ? 0 : this.separatorEnd(index - 1));
    return this.bytes.subarray(from, this.separatorsAt + this.separatorEnd(index));
  }

  private headsOfAll(): SeparatorHeads {
    return new SeparatorHeads(Array.from({ length: this.blocks }, (_, at) => this.separator(at)));
  }

  private separatorEnd(index: number): number {
    return this.words[5 + 3 * this.blocks + index] as number;
  }
}
