/**
 * The writes of a transaction as the source of a merge. All have the sequence 0, which stands for
 * that of the commit. The batch must not change any more.
 */

import { BatchCursor } from '../batch/batch-cursor.ts';
import { emptyWrite, type Write } from '../batch/write.ts';
import type { WriteBatch } from '../batch/write-batch.ts';
import type { WriteChunk } from '../batch/write-chunk.ts';
import type { KeyRange } from '../contract/store.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import type { EntryWalk, VersionSource } from '../cursor/source.ts';
import { deleteFlag } from '../memtable/entries.ts';

const nothing = new Uint8Array(0);

export class BatchSource implements VersionSource {
  private readonly batch: WriteBatch;

  constructor(batch: WriteBatch) {
    this.batch = batch;
  }

  versions(range: KeyRange): InternalCursor {
    return new BatchVersions(new BatchCursor(this.batch, range, 'forward'));
  }

  walk(): EntryWalk {
    return new BatchWalk(this.batch);
  }
}

class BatchVersions implements InternalCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence = 0;
  isTombstone = false;
  private readonly writes: BatchCursor;
  private isStarted = false;

  constructor(writes: BatchCursor) {
    this.writes = writes;
  }

  next(): boolean {
    const { writes } = this;
    if (this.isStarted) writes.advance();
    this.isStarted = true;
    const { current } = writes;
    if (current === undefined) return false;
    this.key = current.bytes;
    this.value = current.bytes;
    this.keyFrom = current.keyFrom;
    this.keyTo = current.keyTo;
    this.valueFrom = current.keyTo;
    this.valueTo = current.valueTo;
    this.isTombstone = current.isTombstone;
    return true;
  }

  close(): void {}
}

/** Copies the writes as words, to hand them over to another thread. */
class BatchWalk implements EntryWalk {
  private readonly batch: WriteBatch;
  private readonly write = emptyWrite();
  private chunk = 0;
  private slot = 0;
  private words: Uint32Array | undefined;
  private bytes: Uint8Array = nothing;

  constructor(batch: WriteBatch) {
    this.batch = batch;
  }

  get isDone(): boolean {
    return this.chunk >= this.batch.chunks.length;
  }

  copy(target: Uint32Array, at: number): number {
    const { write } = this;
    const chunk = this.batch.chunks[this.chunk] as WriteChunk;
    chunk.show(this.slot, write);
    const keyLength = write.keyTo - write.keyFrom;
    const valueLength = write.valueTo - write.keyTo;
    const version = at + 1 + ((keyLength + 3) >>> 2);
    const end = version + 4 + ((valueLength + 3) >>> 2);
    if (end > target.length) return at - end;
    target[at] = keyLength;
    target[version] = 0;
    target[version + 1] = 0;
    target[version + 2] = write.isTombstone ? deleteFlag : 0;
    target[version + 3] = valueLength;
    this.copyBytes(target, write, 4 * (at + 1), 4 * (version + 4));
    this.slot++;
    if (this.slot === chunk.count) {
      this.chunk++;
      this.slot = 0;
    }
    return end;
  }

  private copyBytes(target: Uint32Array, write: Write, keyAt: number, valueAt: number): void {
    if (this.words !== target) {
      this.words = target;
      this.bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    }
    const { bytes } = this;
    const { bytes: from, keyFrom, keyTo, valueTo } = write;
    if (valueTo - keyFrom > 64) {
      bytes.set(from.subarray(keyFrom, keyTo), keyAt);
      bytes.set(from.subarray(keyTo, valueTo), valueAt);
      return;
    }
    for (let i = keyFrom; i < keyTo; i++) bytes[keyAt + i - keyFrom] = from[i] as number;
    for (let i = keyTo; i < valueTo; i++) bytes[valueAt + i - keyTo] = from[i] as number;
  }
}
