/**
 * Searches an SSTable for many keys together. Each step is done for all keys before the next one, so that the processor waits for the memory
 * of several keys at a time, and so that the reads of blocks that are not in memory overlap.
 */

import { compareBytes, type Pending } from '#base';
import { DatabaseError } from '#failure';
import type { KeyBatch } from '../contract/key-batch.ts';
import { HashPair, hashKey } from '../key/key-hash.ts';
import type { Block } from './block.ts';
import type { IndexPartition } from './index-partition.ts';
import { sections as numbers } from './section-checksum.ts';
import type { BlockEntry, TableSections } from './table-sections.ts';
import { findPartition, type PartitionReference } from './top-index.ts';

/** A block that is not in memory and has fewer keys of the batch than this is read for them alone. */
const fewKeys = 4;

/** The search ends before the block that exceeds this sum of lengths, because the answers retain their blocks. */
const blocksBytesMax = 512 * 1024;

// Shared, because a search does not wait between its steps: the found block of each key that has one, by search.
const keyAt: number[] = [];
const entries: (BlockEntry | undefined)[] = [];
const blocks: (Block | undefined)[] = [];
const hash = new HashPair();
/** The sum of the bytes that were read in advance, stored because a compiler removes an unused result. */
const touched = new Int32Array(1);

export class BatchSearch {
  private readonly sections: TableSections;
  /** Identifies the SSTable. */
  private readonly owner: object;
  private readonly fetchesMax: number;
  private waits: Pending[] = [];
  private partition: IndexPartition | undefined;
  private which = -1;
  /** Whether the keys after the current one belong to its partition, too. */
  private isLastPartition = false;
  private isLikely = false;
  /** Number of the block of the last key, its index in the partition, and the lengths of all blocks so far. */
  private number = -1;
  private index = 0;
  private bytes = 0;
  /** Number of the last block that is being read, and of the keys that were searched. */
  private awaited = -1;
  private asked = 0;
  /** The last block, if it was read for its keys alone, and the number of keys that were found in such blocks. */
  private passing: Block | undefined;
  private foundPassing = 0;

  /** `fetchesMax` limits the reads that are in progress at a time. */
  constructor(sections: TableSections, owner: object, fetchesMax: number) {
    this.sections = sections;
    this.owner = owner;
    this.fetchesMax = fetchesMax;
  }

  /** Answers the open keys [from, to) that the SSTable contains. After a wait, call it again. */
  find(batch: KeyBatch, from: number, to: number): Pending | undefined {
    const wait = this.sections.open();
    if (wait !== undefined) return wait;
    this.start(batch);
    const count = this.locate(batch, from, to);
    for (let i = 0; i < count; i++) {
      const entry = entries[i];
      if (entry !== undefined) blocks[i] = this.sections.use(entry);
    }
    let sum = 0;
    for (let i = 0; i < count; i++) {
      sum += (blocks[i] as Block).touch(batch.keys[keyAt[i] as number] as Uint8Array);
    }
    touched[0] = sum;
    let found = this.foundPassing;
    for (let i = 0; i < count; i++) {
      if (answer(batch, keyAt[i] as number, blocks[i] as Block, false)) found++;
    }
    if (2 * found >= this.asked && found > 0) batch.likely = this.owner;
    else if (this.isLikely) batch.likely = undefined;
    entries.length = 0;
    blocks.length = 0;
    return this.waits.length === 0 ? undefined : allOf(this.waits);
  }

  private start(batch: KeyBatch): void {
    this.waits = [];
    this.partition = undefined;
    this.which = -1;
    this.isLastPartition = false;
    this.number = -1;
    this.index = 0;
    this.bytes = 0;
    this.awaited = -1;
    this.asked = 0;
    this.passing = undefined;
    this.foundPassing = 0;
    this.isLikely = batch.likely === this.owner;
  }

  /** Finds the block of each key, and returns the number of keys that have one. */
  private locate(batch: KeyBatch, from: number, to: number): number {
    let count = 0;
    for (let i = from; i < Math.min(to, batch.end) && this.waits.length < this.fetchesMax; i++) {
      if (!batch.isOpen(i)) continue;
      const key = batch.keys[i] as Uint8Array;
      this.asked++;
      try {
        if (!this.enter(batch, key, to)) continue;
        const place = this.placeOf(batch, i);
        if (place === 'full') {
          batch.endAt(i);
          break;
        }
        if (place === undefined) continue;
        keyAt[count] = i;
        entries[count] = 'content' in place ? place : undefined;
        blocks[count++] = 'content' in place ? undefined : place;
      } catch (error) {
        // The keys before this one do not need the section that cannot be read.
        if (i === 0 || !(error instanceof DatabaseError)) throw error;
        batch.endAt(i);
      }
    }
    return count;
  }

  /** Goes to the partition of `key`. Returns false if there is none, or if it has to be read first. */
  private enter(batch: KeyBatch, key: Uint8Array, to: number): boolean {
    if (this.isLastPartition) return this.partition !== undefined;
    const partitions = this.sections.partitions as readonly PartitionReference[];
    if (this.which >= 0) {
      const separator = partitions[this.which]?.separator;
      if (separator === undefined) return false;
      if (compareBytes(separator, key) >= 0) return this.partition !== undefined;
    }
    this.which = findPartition(partitions, key);
    this.partition = undefined;
    this.index = 0;
    if (this.which === partitions.length) return false;
    const { separator } = partitions[this.which] as PartitionReference;
    this.isLastPartition = compareBytes(separator, batch.keys[to - 1] as Uint8Array) >= 0;
    const section = numbers.partition + this.which;
    const known = batch.arrived(this.owner, section) ?? this.sections.partition(this.which);
    if (known instanceof Promise) this.await(batch, section, known);
    else this.partition = known as IndexPartition;
    return this.partition !== undefined;
  }

  /**
   * Returns the block of the key with index `at`, or its entry in the cache; `undefined` if the SSTable does not have the key, if the key is
   * answered, or if the block has to be read first; `full` if the blocks would exceed their limit.
   */
  private placeOf(batch: KeyBatch, at: number): Block | BlockEntry | 'full' | undefined {
    const key = batch.keys[at] as Uint8Array;
    const partition = this.partition as IndexPartition;
    const index = partition.find(key, this.index);
    this.index = index;
    if (index === partition.blocks) return undefined;
    const number = partition.firstBlock + index;
    if (number !== this.number) {
      const bytes = this.bytes + partition.blockBytes(index);
      if (at > 0 && bytes > blocksBytesMax) return 'full';
      this.bytes = bytes;
      this.number = number;
      this.passing = undefined;
    }
    const entry = this.sections.blockEntry(number);
    if (entry !== undefined) {
      // The filter avoids a search too, unless the key is probably here.
      return this.isLikely || mayContain(partition, key) ? entry : undefined;
    }
    const arrived = batch.arrived(this.owner, number) as Block | undefined;
    if (arrived !== undefined) return arrived;
    if (number === this.awaited || !mayContain(partition, key)) return undefined;
    if (this.passing === undefined && hasFew(batch, at, partition, index)) {
      this.passing = this.sections.passing(partition, index);
    }
    if (this.passing !== undefined) {
      if (answer(batch, at, this.passing, true)) this.foundPassing++;
      return undefined;
    }
    const block = this.sections.block(partition, index);
    if (!(block instanceof Promise)) return block;
    this.awaited = number;
    this.await(batch, number, block);
    return undefined;
  }

  private await(batch: KeyBatch, section: number, read: Promise<unknown>): void {
    const { owner } = this;
    this.waits.push(read.then((content) => batch.arrive(owner, section, content)));
  }
}

/** Returns whether the block has fewer than `fewKeys` of the keys from `at` on. */
function hasFew(batch: KeyBatch, at: number, partition: IndexPartition, index: number): boolean {
  const key = batch.keys[at + fewKeys - 1];
  return key === undefined || partition.compareSeparator(index, key) < 0;
}

/** Answers the key with index `at` if the block has a visible version of it. The answer retains a block unless it is passing. */
function answer(batch: KeyBatch, at: number, block: Block, isPassing: boolean): boolean {
  const newest = block.find(batch.keys[at] as Uint8Array);
  if (newest < 0) return false;
  const slot = block.visibleFrom(newest, batch.snapshot);
  if (slot < 0) return false;
  if (block.isTombstone(slot)) batch.answerAbsent(at);
  else if (block.values.column !== undefined && !isPassing) {
    batch.answerSlot(at, block.values, slot);
  } else {
    block.values.join(slot, body);
    if (isPassing && body.value === block.bytes) copyBody();
    batch.answerBody(at, body);
  }
  return true;
}

function copyBody(): void {
  body.value = body.value.slice(body.valueFrom, body.valueTo);
  body.valueTo -= body.valueFrom;
  body.valueFrom = 0;
}

const body = { value: new Uint8Array(0), valueFrom: 0, valueTo: 0 };

function mayContain(partition: IndexPartition, key: Uint8Array): boolean {
  hashKey(key, 0, key.length, hash);
  return partition.mayContain(hash.first, hash.second);
}

/** Waits for all reads, even if one of them fails: none may continue after the SSTable is closed. */
async function allOf(waits: readonly Pending[]): Promise<void> {
  for (const result of await Promise.allSettled(waits)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
