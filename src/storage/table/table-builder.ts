/** Writes an SSTable from entries, in bounded memory. */

import { compareRanges, invariant } from '#base';
import type { StoredEntry } from '../cursor/internal-cursor.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { BlockEncoder } from './encode-block.ts';
import { FileTail } from './file-tail.ts';
import { PartitionBuilder } from './partition-builder.ts';
import { RowBuffer } from './row-buffer.ts';
import { separatorBetween } from './separator.ts';
import { type TableOptions, tableDefaults } from './table-options.ts';
import type { TableSink } from './table-sink.ts';
import type { CodecRange } from './value-codec.ts';

/**
 * Bounds of the assumed packing ratio, because the rows of the next block may compress less than
 * those of this one.
 */
const packingMax = 4;
const packingMargin = 0.9;

export class TableBuilder {
  private readonly name: string;
  private readonly options: TableOptions;
  private readonly rows = new RowBuffer();
  private readonly encoder = new BlockEncoder();
  private readonly tail: FileTail;
  private readonly partitions: PartitionBuilder;
  private codec: CodecRange | undefined;
  /** Bytes of rows per byte of the previous block, that is, the compression by the codec. */
  private packing = 1;
  private smallest: Uint8Array | undefined;
  private largest: Uint8Array | undefined;
  private entries = 0;
  private deletions = 0;
  private sequenceMin = Infinity;
  private sequenceMax = 0;

  constructor(name: string, sink: TableSink, options: TableOptions = tableDefaults) {
    this.name = name;
    this.options = options;
    this.tail = new FileTail(name, sink);
    this.partitions = new PartitionBuilder(this.tail, options);
  }

  /** Estimated bytes of the file so far, including the open block. */
  get bytes(): number {
    return this.tail.length + this.rows.estimate(0, 0);
  }

  get isEmpty(): boolean {
    return this.entries === 0;
  }

  /**
   * Adds the current entry of `entry`. Keys must ascend, and versions of a key must come newest
   * first. If it returns a promise, the caller waits before it adds more; the entry has been added
   * in any case.
   */
  add(entry: StoredEntry): Promise<void> | undefined {
    const { rows } = this;
    const keyLength = entry.keyTo - entry.keyFrom;
    let shared = rows.rows === 0 ? 0 : rows.sharedWithLast(entry);
    const isSameKey = rows.rows > 0 && shared === keyLength && shared === rows.lastKeyLength();
    if (!isSameKey) {
      if (rows.rows > 0 && this.mustCut(entry)) {
        this.cut(entry.key.subarray(entry.keyFrom, entry.keyTo));
        shared = 0;
      }
      this.partitions.addKey(entry);
    }
    if (rows.rows === 0) this.openBlock(entry);
    rows.add(entry, shared, isSameKey);
    this.entries++;
    if (entry.isTombstone) this.deletions++;
    if (entry.sequence < this.sequenceMin) this.sequenceMin = entry.sequence;
    if (entry.sequence > this.sequenceMax) this.sequenceMax = entry.sequence;
    return this.tail.takeWait();
  }

  /**
   * Writes the remaining sections. The sink has all bytes once its waits have resolved. At least
   * one entry must have been added.
   */
  finish(): TableEntry {
    invariant(this.entries > 0, 'an SSTable has at least one entry');
    this.cut(undefined);
    const top = this.partitions.finish();
    this.tail.writeEnd(top, {
      entries: this.entries,
      deletions: this.deletions,
      sequenceMin: this.sequenceMin,
      sequenceMax: this.sequenceMax,
      blocks: this.partitions.blocks,
    });
    return {
      name: this.name,
      bytes: this.tail.length,
      smallest: this.smallest as Uint8Array,
      largest: this.largest as Uint8Array,
      sequenceMin: this.sequenceMin,
      sequenceMax: this.sequenceMax,
      entries: this.entries,
      hash: this.tail.hash,
      footer: this.tail.footer,
    };
  }

  private openBlock(entry: StoredEntry): void {
    const key = entry.key.slice(entry.keyFrom, entry.keyTo);
    this.smallest ??= key;
    const codec = this.codec;
    const isPast = codec?.to !== undefined && Buffer.compare(key, codec.to) >= 0;
    if (codec !== undefined && !isPast) return;
    this.codec = this.options.codecs.forKey(key);
    this.packing = 1;
  }

  private mustCut(entry: StoredEntry): boolean {
    const { rows, options } = this;
    if (rows.rows >= options.blockRowsMax) return true;
    const keyLength = entry.keyTo - entry.keyFrom;
    const bodyLength = entry.isTombstone ? 0 : entry.valueTo - entry.valueFrom;
    const bytesMax = options.blockBytes * this.packing;
    if (rows.estimate(keyLength, bodyLength) > bytesMax) return true;
    const to = (this.codec as CodecRange).to;
    if (to === undefined) return false;
    return compareRanges(entry.key, entry.keyFrom, entry.keyTo, to, 0, to.length) >= 0;
  }

  /** Writes the open block. `nextKey` is the first key of the next block. */
  private cut(nextKey: Uint8Array | undefined): void {
    const { rows } = this;
    const last = rows.lastKey();
    const block = this.encoder.encode(rows, (this.codec as CodecRange).codec);
    const separator = nextKey === undefined ? last : separatorBetween(last, nextKey);
    const packing = (packingMargin * rows.estimate(0, 0)) / block.bytes.length;
    this.packing = Math.min(packingMax, Math.max(1, packing));
    this.partitions.addBlock(block, rows.rows, separator);
    this.largest = last;
    rows.clear();
  }
}
