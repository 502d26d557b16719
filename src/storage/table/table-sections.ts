/**
 * The sections of an open SSTable, read through the cache. A read is synchronous if the section is
 * in memory or the store reads synchronously.
 */

import type { Pending } from '#base';
import { type BlockCache, entryOverheadBytes } from '../cache/block-cache.ts';
import type { CacheEntry, CachePool, CacheShelf } from '../cache/cache-pool.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { readEvidence } from '../object/read-evidence.ts';
import type { ObjectReader, RemoteParts } from '../object/store.ts';
import { Block } from './block.ts';
import { BlockBuffer } from './block-buffer.ts';
import { decodeFooter, type FooterRead, footerBytes, footerChecksum } from './footer.ts';
import { IndexPartition } from './index-partition.ts';
import { sectionChecksum, sections } from './section-checksum.ts';
import type { SectionPlace, SectionReader } from './section-reader.ts';
import { decodeTopIndex, type PartitionReference } from './top-index.ts';
import type { ValueCodecs } from './value-codec.ts';
import type { ZoneMap } from './zones.ts';

/** The part of a manifest entry that its SSTable does not contain, or has to match. */
type ExpectedTable = Pick<TableEntry, 'footer' | 'sequenceMin' | 'sequenceMax'>;

/** Shared by all SSTables, because a block that was read for few of its rows is used before the next read. */
let fewRows = new BlockBuffer();
/** Larger blocks are not read into `fewRows`, so that it stays small. */
const fewRowsBytesMax = 64 * 1024;

/** A block in the cache. */
export type BlockEntry = CacheEntry<Block>;

export class TableSections {
  /** The partitions of the index; `undefined` until `open` has returned `undefined`, which means that it is done. */
  partitions: readonly PartitionReference[] | undefined;
  /** Partitions of the index have zones. */
  private hasZones = false;
  private zones: ZoneMap | undefined;
  private readonly reader: SectionReader;
  private readonly cache: BlockCache;
  private readonly codecs: ValueCodecs;
  private readonly footer: number | undefined;
  /** The sequence of all entries, if they have the same one. */
  private readonly sequence: number | undefined;
  private readonly blockShelf: CacheShelf<Block> = [];
  private readonly partitionShelf: CacheShelf<IndexPartition> = [];
  /** The reader returns promises. */
  private readsLate = false;
  /** Reads in progress, by section number. Concurrent callers share one read. */
  private readonly reads = new Map<number, Promise<unknown>>();

  /**
   * Creates the sections of `entry`. The entries of a large commit have its sequence, which only
   * `entry` contains: the SSTable was written before the sequence was known.
   */
  constructor(
    reader: SectionReader,
    cache: BlockCache,
    codecs: ValueCodecs,
    { footer, sequenceMin, sequenceMax }: ExpectedTable,
  ) {
    this.reader = reader;
    this.cache = cache;
    this.codecs = codecs;
    this.footer = footer;
    this.sequence = sequenceMin === sequenceMax ? sequenceMin : undefined;
  }

  /** Reads the top index. Returns `undefined` if it is in memory, and otherwise a wait. */
  open(): Pending | undefined {
    if (this.partitions !== undefined) return undefined;
    const underWay = this.reads.get(sections.footer) as Pending | undefined;
    if (underWay !== undefined) return underWay;
    const opened = this.readTop();
    return opened === undefined ? undefined : this.share(opened, sections.footer);
  }

  /**
   * Returns true if one of the bounds excludes all values of the partition. The partition is not
   * read.
   */
  excludes(index: number, bounds: readonly ZoneBound[]): boolean {
    return this.zones?.excludes(index, bounds) ?? false;
  }

  /** Returns true if all blocks of the partition are known to be plain. The partition is not read. */
  isPlain(index: number): boolean {
    return this.zones?.isPlain(index) ?? false;
  }

  partition(index: number): IndexPartition | Promise<IndexPartition> {
    const entry = this.partitionShelf[index];
    if (entry !== undefined) {
      entry.isReferenced = true;
      this.cache.metadata.hits++;
      return entry.content;
    }
    const place = (this.partitions as readonly PartitionReference[])[index] as PartitionReference;
    return this.load(place, sections.partition + index, (bytes) => {
      const partition = new IndexPartition(bytes, this.hasZones);
      this.keep(this.cache.metadata, this.partitionShelf, index, partition, bytes.length);
      return partition;
    });
  }

  /**
   * Returns block `index` of `partition`, and inserts it into the cache. A block that a scan
   * inserts is evicted first.
   */
  block(partition: IndexPartition, index: number, isScan = false): Block | Promise<Block> {
    const number = partition.firstBlock + index;
    const cached = this.cachedBlock(partition, index);
    if (cached !== undefined) return cached;
    const place = placeOf(partition, index);
    return this.load(place, number, (bytes) => {
      const block = this.openBlock(bytes, place.at, number);
      this.keepBlock(number, block, isScan);
      return block;
    });
  }

  /**
   * Returns the block without inserting it into the cache. If it is not cached, it is read into
   * `buffer`, and is valid until the next block is read into it.
   */
  passingBlock(
    partition: IndexPartition,
    index: number,
    buffer: BlockBuffer,
  ): Block | Promise<Block> {
    const number = partition.firstBlock + index;
    const cached = this.cachedBlock(partition, index);
    if (cached !== undefined) return cached;
    countMisses(this.cache.data, 1);
    const place = placeOf(partition, index);
    const bytes = this.reader.read(place, number, buffer.take(place.bytes));
    if (bytes instanceof Promise) {
      return bytes.then((read) => this.openBlock(read, place.at, number));
    }
    return this.openBlock(bytes, place.at, number);
  }

  /**
   * Reads block `index` of `partition`, which is not in memory, for few of its rows: the block is
   * valid until the next call. Returns `undefined` if `block` has to read it, because it shall enter
   * the cache or cannot be read without waiting.
   */
  passing(partition: IndexPartition, index: number): Block | undefined {
    const place = placeOf(partition, index);
    if (this.readsLate || this.remote !== undefined) return undefined;
    if (place.bytes > fewRowsBytesMax) return undefined;
    if (this.cache.data.admits(place.bytes + entryOverheadBytes)) return undefined;
    const number = partition.firstBlock + index;
    const bytes = this.reader.read(place, number, fewRows.take(place.bytes));
    if (bytes instanceof Promise) {
      // The read may still fill the buffer. The next call of `block` reads again, and reports a failure.
      bytes.catch(() => {});
      fewRows = new BlockBuffer();
      this.readsLate = true;
      return undefined;
    }
    countMisses(this.cache.data, 1);
    return this.openBlock(bytes, place.at, number);
  }

  /** Returns block `index` of `partition` if it is in memory. */
  cachedBlock(partition: IndexPartition, index: number): Block | undefined {
    const entry = this.blockEntry(partition.firstBlock + index);
    return entry && this.use(entry);
  }

  /**
   * Returns the cache entry of the block with this number in the SSTable; `undefined` if the block
   * is not in memory. The memory of the entry is not read before `use`.
   */
  blockEntry(number: number): BlockEntry | undefined {
    return this.blockShelf[number];
  }

  use(entry: BlockEntry): Block {
    entry.isReferenced = true;
    this.cache.data.hits++;
    return entry.content;
  }

  /** Returns true if the block is in memory. The call does not count as a use of it. */
  hasBlock(partition: IndexPartition, index: number): boolean {
    return this.blockShelf[partition.firstBlock + index] !== undefined;
  }

  /** Facts about reads of a remote SSTable; `undefined` while the SSTable is on this machine. */
  get remote(): RemoteParts | undefined {
    return this.reader.remote;
  }

  /** Returns partition `index` if it is in memory. The call does not count as a use of it. */
  knownPartition(index: number): IndexPartition | undefined {
    return this.partitionShelf[index]?.content;
  }

  /**
   * Returns true if the block with this number in the SSTable is in memory. The call does not count
   * as a use of it.
   */
  isInMemory(number: number): boolean {
    return this.blockShelf[number] !== undefined;
  }

  /** Reads blocks [from, to] of `partition` with one read. */
  async readBlocks(
    partition: IndexPartition,
    { from, to }: { readonly from: number; readonly to: number },
    fillsCache: boolean,
  ): Promise<readonly Block[]> {
    const at = partition.blockAt(from);
    const length = partition.blockAt(to + 1) - at;
    countMisses(this.cache.data, to - from + 1);
    const first = partition.firstBlock + from;
    const bytes = await this.reader.readUnchecked(at, length, first);
    const blocks: Block[] = [];
    for (let index = from; index <= to; index++) {
      const place = placeOf(partition, index);
      const number = partition.firstBlock + index;
      const part = bytes.subarray(place.at - at, place.at - at + place.bytes);
      // A cached part is copied, because it would retain the whole read in memory.
      const own = fillsCache ? part.slice() : part;
      const block = this.openBlock(this.reader.check(own, place, number), place.at, number);
      if (fillsCache) this.keepBlock(number, block, true);
      blocks.push(block);
    }
    return blocks;
  }

  /** Continues with another file with the same bytes. The caller has closed the previous one. */
  reopen(reader: ObjectReader): void {
    this.reader.reopen(reader);
  }

  close(): void {
    this.cache.data.clear(this.blockShelf);
    this.cache.metadata.clear(this.partitionShelf);
    this.reader.close();
  }

  private load<T>(
    place: SectionPlace,
    section: number,
    open: (bytes: Uint8Array) => T,
  ): T | Promise<T> {
    const underWay = this.reads.get(section) as Promise<T> | undefined;
    if (underWay !== undefined) return underWay;
    const pool = section >= sections.partition ? this.cache.metadata : this.cache.data;
    countMisses(pool, 1);
    const bytes = this.reader.read(place, section);
    if (!(bytes instanceof Promise)) return open(bytes);
    return this.share(bytes.then(open), section);
  }

  private share<T>(work: Promise<T>, section: number): Promise<T> {
    const shared = work.finally(() => this.reads.delete(section));
    this.reads.set(section, shared);
    return shared;
  }

  private keepBlock(number: number, block: Block, isScan: boolean): void {
    const bytes = block.bytes.length + (block.values.heldBytes ?? 0) + entryOverheadBytes;
    this.cache.data.insert(block, bytes, this.blockShelf, number, !isScan);
  }

  private keep<T>(
    pool: CachePool,
    shelf: CacheShelf<T>,
    index: number,
    content: T,
    bytes: number,
  ): void {
    pool.insert(content, bytes + entryOverheadBytes, shelf, index);
  }

  private openBlock(bytes: Uint8Array, at: number, number: number): Block {
    try {
      return new Block(bytes, this.codecs, this.sequence);
    } catch (cause) {
      throw this.reader.corrupt(at, number, 'its format is not supported', cause);
    }
  }

  private readTop(): Pending | undefined {
    const { reader } = this;
    const footerAt = reader.fileBytes - footerBytes;
    if (footerAt < 0) throw reader.corrupt(0, sections.footer, 'the file is too short');
    const footer = reader.readUnchecked(footerAt, footerBytes, sections.footer);
    if (footer instanceof Promise)
      return footer.then((bytes) => this.readTopIndex(bytes, footerAt));
    return this.readTopIndex(footer, footerAt);
  }

  private readTopIndex(bytes: Uint8Array, footerAt: number): Pending | undefined {
    const footer = this.decodeFooter(bytes, footerAt);
    this.hasZones = footer.hasZones;
    const place = { at: footer.topAt, bytes: footer.topBytes, checksum: footer.topChecksum };
    const top = this.reader.read(place, sections.topIndex);
    if (top instanceof Promise) return top.then((read) => this.setTop(read));
    this.setTop(top);
    return undefined;
  }

  private setTop(bytes: Uint8Array): void {
    const { partitions, zones } = decodeTopIndex(bytes);
    this.partitions = partitions;
    this.zones = zones;
  }

  private decodeFooter(bytes: Uint8Array, at: number): FooterRead {
    const { reader } = this;
    const footer = decodeFooter(bytes, (checked) =>
      sectionChecksum(checked, reader.seed, sections.footer),
    );
    if (footer === 'magic') throw reader.corrupt(at, sections.footer, 'its magic number is wrong');
    if (footer === 'checksum') {
      throw reader.corrupt(at, sections.footer, 'its checksum does not match');
    }
    if ('format' in footer) throw reader.unknownFormat(footer.format);
    // Names are unique within a database. A copy of the database continues independently, however,
    // and another database uses the same names.
    if (this.footer !== undefined && footerChecksum(bytes) !== this.footer) {
      throw reader.corrupt(
        at,
        sections.footer,
        'it is the footer of another SSTable with the same name',
      );
    }
    return footer;
  }
}

function countMisses(pool: CachePool, count: number): void {
  pool.misses += count;
  const evidence = readEvidence();
  if (evidence !== undefined) evidence.memoryMisses += count;
}

function placeOf(partition: IndexPartition, index: number): SectionPlace {
  return {
    at: partition.blockAt(index),
    bytes: partition.blockBytes(index),
    checksum: partition.checksum(index),
  };
}
