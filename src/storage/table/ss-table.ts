/** An open SSTable: an immutable sorted file as a source of reads. */

import { compareBytes, isPending, type Pending } from '#base';
import type { BlockCache } from '../cache/block-cache.ts';
import type { KeyBatch } from '../contract/key-batch.ts';
import { storeDefaults } from '../contract/limits.ts';
import type { Direction, KeyRange } from '../contract/store.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { Lookup } from '../cursor/lookup.ts';
import type { CursorSource, KeyNeighborhood, RemoteBlocks } from '../cursor/source.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectReader } from '../object/store.ts';
import { BatchSearch } from './batch-search.ts';
import { type Block, outside } from './block.ts';
import { checkTable, type TableCheck } from './check-table.ts';
import { clampRange } from './clamp-range.ts';
import type { DamagedTables } from './damaged-tables.ts';
import { entriesWithin } from './entry-rank.ts';
import type { IndexPartition } from './index-partition.ts';
import { opaqueValues } from './opaque-codec.ts';
import type { ReadAheadBounds } from './read-ahead.ts';
import { remoteWithin } from './remote-blocks.ts';
import { SectionReader } from './section-reader.ts';
import { TableCursor, type TableScan } from './table-cursor.ts';
import { gapAround } from './table-gap.ts';
import { TableSections } from './table-sections.ts';
import { findPartition, type PartitionReference } from './top-index.ts';
import type { ValueCodecs } from './value-codec.ts';

export interface TableReadOptions {
  readonly cache: BlockCache;
  readonly codecs?: ValueCodecs;
  /** Scans put blocks into the cache, whatever the size of the SSTable; default false. */
  readonly scansFillCache?: boolean;
  /** Bounds of the read-ahead in a remote SSTable. */
  readonly readAhead?: ReadAheadBounds;
  /** Receives the faults of an SSTable that cannot be read. */
  readonly damaged?: DamagedTables;
}

/** Maximum number of sampled blocks for an estimate of the remote part of a range. */
const looksMax = 256;

/**
 * Share of the data cache: a scan that reads at most this much fills the cache, with a lower
 * priority than point reads.
 */
const scannedShare = 0.5;

/**
 * An open SSTable, of which nothing is read before the first request. Keys of the file outside
 * [entry.smallest, entry.largest] count as absent. A compaction that stops early raises `smallest`
 * above the keys that it has written to another SSTable.
 */
export class SsTable implements CursorSource {
  readonly entry: TableEntry;
  private reader: ObjectReader;
  private readonly codecs: ValueCodecs;
  private readonly sections: TableSections;
  /** Scans that read at most this many bytes fill the cache. */
  private readonly scannedBytesMax: number;
  private readonly readAhead: ReadAheadBounds;
  private readonly search: BatchSearch;

  /** Takes ownership of `reader`. */
  constructor(reader: ObjectReader, entry: TableEntry, options: TableReadOptions) {
    this.entry = entry;
    this.reader = reader;
    this.scannedBytesMax =
      options.scansFillCache === true
        ? Number.POSITIVE_INFINITY
        : options.cache.data.capacityBytes * scannedShare;
    this.readAhead = options.readAhead ?? storeDefaults;
    this.codecs = options.codecs ?? opaqueValues;
    this.sections = new TableSections(
      new SectionReader(reader, entry.name, options.damaged),
      options.cache,
      this.codecs,
      entry,
    );
    this.search = new BatchSearch(this.sections, this, this.readAhead.scanFetchesMax);
  }

  find(lookup: Lookup): boolean | Promise<boolean> {
    const { entry } = this;
    const { key } = lookup;
    if (lookup.snapshot < entry.sequenceMin) return false;
    if (compareBytes(key, entry.smallest) < 0 || compareBytes(key, entry.largest) > 0) {
      return false;
    }
    if (lookup.recentSource === this) {
      const block = lookup.recentPlace as Block;
      const slot = block.find(key);
      if (slot !== outside) return showVersion(block, slot, lookup);
    }
    const wait = this.sections.open();
    return wait === undefined ? this.findInTable(lookup) : this.findOpened(wait, lookup);
  }

  findAll(batch: KeyBatch, from: number, to: number): Pending | undefined {
    const { smallest, largest, sequenceMin } = this.entry;
    if (batch.snapshot < sequenceMin) return undefined;
    const { keys } = batch;
    let first = from;
    let last = Math.min(to, batch.end);
    while (first < last && compareBytes(keys[first] as Uint8Array, smallest) < 0) first++;
    while (first < last && compareBytes(keys[last - 1] as Uint8Array, largest) > 0) last--;
    return first < last ? this.search.find(batch, first, last) : undefined;
  }

  near(key: Uint8Array, around: KeyNeighborhood): this | undefined {
    const { smallest, largest } = this.entry;
    if (compareBytes(key, smallest) < 0) around.endBefore(smallest);
    else if (compareBytes(key, largest) > 0) around.startAfter(largest);
    else if (around.gaps !== 'all' || !gapAround(this.sections, key, around)) {
      around.startFrom(smallest);
      around.endAfter(largest);
      return this;
    }
    return undefined;
  }

  scan(
    range: KeyRange,
    direction: Direction,
    snapshot: number,
    bounds?: readonly ZoneBound[],
    spare?: InternalCursor,
  ): InternalCursor {
    if (snapshot < this.entry.sequenceMin) return emptyCursor;
    const scan = this.scanOf(range, direction, snapshot, bounds);
    if (scan === undefined) return emptyCursor;
    const isReused = spare instanceof TableCursor && spare.restart(this.sections, scan);
    return isReused ? spare : new TableCursor(this.sections, scan);
  }

  versions(range: KeyRange): InternalCursor {
    const scan = this.scanOf(range, 'forward', 'every version');
    return scan === undefined ? emptyCursor : new TableCursor(this.sections, scan);
  }

  entriesIn(range: KeyRange): number {
    return entriesWithin(this.sections, this.entry, range);
  }

  /** Whether the SSTable is remote; false while it is not open. */
  get isRemote(): boolean {
    return this.sections.remote !== undefined;
  }

  remoteIn(range: KeyRange, looks = looksMax): RemoteBlocks | undefined {
    const { readAhead } = this;
    return remoteWithin(this.sections, this.entry, { range, looks, readAhead });
  }

  /** Returns true if the SSTable contains any version of any key in the range. */
  async holdsAny(range: KeyRange): Promise<boolean> {
    const cursor = this.versions(range);
    try {
      for (;;) {
        const found = cursor.next();
        if (!isPending(found)) return found;
        await found;
      }
    } finally {
      cursor.close();
    }
  }

  /**
   * Estimates the bytes that contain only keys of [from, to), by whole partitions of the index.
   * Waits for the top index.
   */
  async bytesWithin({ from, to }: KeyRange): Promise<number> {
    for (let wait = this.sections.open(); wait !== undefined; wait = this.sections.open()) {
      await wait;
    }
    let bytes = 0;
    let start = 0;
    let isInside = Buffer.compare(this.entry.smallest, from) >= 0;
    for (const partition of this.sections.partitions ?? []) {
      const end = partition.at + partition.bytes;
      const isBelowEnd = to === undefined || Buffer.compare(partition.separator, to) < 0;
      if (isInside && isBelowEnd) bytes += end - start;
      // The next partition begins above this separator.
      isInside = Buffer.compare(partition.separator, from) >= 0;
      start = end;
    }
    return bytes;
  }

  /** Reads the whole SSTable without the caches, and returns the faults. */
  check(check: TableCheck): Promise<readonly unknown[]> {
    return checkTable(this.reader, this.entry, this.codecs, check);
  }

  /** Fills `target` from offset `at` of the file on. Rejects if the file ends before. */
  async readFile(at: number, target: Uint8Array): Promise<void> {
    const count = await this.reader.readInto(at, target);
    if (count === target.length) return;
    throw new StorageError({ kind: 'io', operation: 'read', object: this.entry.name });
  }

  /** Continues with another file with the same bytes, and closes the previous one. */
  reopen(reader: ObjectReader): void {
    this.reader.close();
    this.reader = reader;
    this.sections.reopen(reader);
  }

  /**
   * Returns true if the name still leads to the open file; `undefined` if this cannot be
   * determined.
   */
  isThere(): boolean | undefined {
    return this.reader.isThere?.();
  }

  close(): void {
    this.sections.close();
  }

  // Each step receives the section that the previous step has read: the cache may have evicted it
  // by then.

  private async findOpened(wait: Pending, lookup: Lookup): Promise<boolean> {
    await wait;
    return this.findInTable(lookup);
  }

  private findInTable(lookup: Lookup): boolean | Promise<boolean> {
    const partitions = this.sections.partitions ?? [];
    const which = findPartition(partitions, lookup.key);
    if (which === partitions.length) return false;
    const partition = this.sections.partition(which);
    if (partition instanceof Promise) return this.findArrived(partition, lookup);
    return this.findInPartition(partition, lookup);
  }

  private async findArrived(partition: Promise<IndexPartition>, lookup: Lookup): Promise<boolean> {
    return this.findInPartition(await partition, lookup);
  }

  private findInPartition(partition: IndexPartition, lookup: Lookup): boolean | Promise<boolean> {
    // If the previous read found its key here, this one probably does too. The filter only avoids
    // reading a block, not the search.
    const isLikely = lookup.recentSource === this;
    if (!isLikely && !mayContain(partition, lookup)) return false;
    const index = partition.find(lookup.key);
    if (index === partition.blocks) return false;
    const cached = this.sections.cachedBlock(partition, index);
    if (cached === undefined && isLikely && !mayContain(partition, lookup)) return false;
    const block = cached ?? this.sections.block(partition, index);
    if (block instanceof Promise) return findInArrived(block, lookup);
    if (!findInBlock(block, lookup)) return false;
    lookup.recentSource = this;
    lookup.recentPlace = block;
    return true;
  }

  /**
   * Returns true if the cache is large enough for the blocks that a scan of the range reads, even
   * if the SSTable is larger. Partitions count as a whole.
   */
  private isCacheable({ from, to }: KeyRange): boolean {
    const max = this.scannedBytesMax;
    if (this.entry.bytes <= max) return true;
    const { partitions } = this.sections;
    if (partitions === undefined) return false;
    const last = Math.min(findPartition(partitions, to as Uint8Array), partitions.length - 1);
    const before = findPartition(partitions, from) - 1;
    return endOf(partitions[last]) - endOf(partitions[before]) <= max;
  }

  /** Returns the scan of the part of `range` that is here; `undefined` if nothing is. */
  private scanOf(
    range: KeyRange,
    direction: Direction,
    snapshot: number | 'every version',
    bounds?: readonly ZoneBound[],
  ): TableScan | undefined {
    const clamped = clampRange(range, this.entry);
    if (clamped === undefined) return undefined;
    const fillsCache = snapshot !== 'every version' && this.isCacheable(clamped);
    const { readAhead } = this;
    const { sequenceMax } = this.entry;
    return { range: clamped, direction, snapshot, fillsCache, readAhead, bounds, sequenceMax };
  }
}

function mayContain(partition: IndexPartition, { hash }: Lookup): boolean {
  return partition.mayContain(hash.first, hash.second);
}

/** Returns the end of a partition in the file. The blocks of a partition precede it. */
function endOf(partition: PartitionReference | undefined): number {
  return partition === undefined ? 0 : partition.at + partition.bytes;
}

async function findInArrived(block: Promise<Block>, lookup: Lookup): Promise<boolean> {
  return findInBlock(await block, lookup);
}

function findInBlock(block: Block, lookup: Lookup): boolean {
  return showVersion(block, block.find(lookup.key), lookup);
}

/**
 * Shows the visible version of a key. `newest` is the slot of its newest version, negative if the
 * block has none.
 */
function showVersion(block: Block, newest: number, lookup: Lookup): boolean {
  if (newest < 0) return false;
  const slot = block.visibleFrom(newest, lookup.snapshot);
  if (slot < 0) return false;
  if (block.values.column === undefined) {
    block.values.join(slot, lookup);
  } else {
    lookup.block = block.values;
    lookup.slot = slot;
  }
  lookup.sequence = block.sequence(slot);
  lookup.isTombstone = block.isTombstone(slot);
  return true;
}
