/** Iterates over the writes of a batch in key order, including tombstones, while the batch can still grow. */

import type { Direction, KeyRange } from '../contract/store.ts';
import { emptyWrite, type Write } from './write.ts';
import type { WriteBatch } from './write-batch.ts';
import type { WriteChunk } from './write-chunk.ts';

/**
 * A cursor over a batch that may change. The cursor visits a write that is inserted ahead of it but not one inserted behind it. Its current write
 * remains readable even if an undo removes it from the batch. After a change of the batch, it finds its position again by key.
 */
export class BatchCursor {
  /** The current write, valid until the cursor moves; `undefined` at the end. */
  current: Write | undefined;
  private readonly shown = emptyWrite();
  private readonly batch: WriteBatch;
  private readonly range: KeyRange;
  private readonly isForward: boolean;
  private generation: number;
  private chunk = 0;
  private slot = 0;

  /** Positions the cursor on the first write of the range in its direction. */
  constructor(batch: WriteBatch, range: KeyRange, direction: Direction) {
    this.batch = batch;
    this.range = range;
    this.isForward = direction === 'forward';
    this.generation = batch.generation;
    if (batch.count > 0) this.seekStart();
    this.current = this.read();
  }

  advance(): void {
    const from = this.current as Write;
    const isThere = this.generation === this.batch.generation || this.seek(from);
    if (!this.isForward) this.stepBackward();
    else if (isThere) this.stepForward();
    this.current = this.read();
  }

  private seekStart(): void {
    const { from, to } = this.range;
    if (this.isForward) {
      this.seekKey(from, 0, from.length);
    } else if (to === undefined) {
      this.chunk = this.batch.chunks.length - 1;
      this.slot = (this.batch.chunks[this.chunk] as WriteChunk).count - 1;
    } else {
      this.seekKey(to, 0, to.length);
      this.stepBackward();
    }
  }

  /** Positions the cursor on the key of the write and returns true, or behind it if the key is gone and returns false. */
  private seek({ bytes, keyFrom, keyTo }: Write): boolean {
    this.generation = this.batch.generation;
    this.seekKey(bytes, keyFrom, keyTo);
    return this.batch.chunks[this.chunk]?.compare(this.slot, bytes, keyFrom, keyTo) === 0;
  }

  /** Positions the cursor on the first write at or above the key, or behind the last write. */
  private seekKey(key: Uint8Array, from: number, to: number): void {
    this.chunk = this.batch.chunkOf(key, from, to);
    const chunk = this.batch.chunks[this.chunk];
    this.slot = chunk?.slotOf(key, from, to) ?? 0;
    if (this.slot === chunk?.count) {
      this.chunk++;
      this.slot = 0;
    }
  }

  private stepForward(): void {
    this.slot++;
    if (this.slot < (this.batch.chunks[this.chunk] as WriteChunk).count) return;
    this.chunk++;
    this.slot = 0;
  }

  private stepBackward(): void {
    this.slot--;
    if (this.slot >= 0) return;
    this.chunk--;
    this.slot = (this.batch.chunks[this.chunk]?.count ?? 0) - 1;
  }

  private read(): Write | undefined {
    const chunk = this.batch.chunks[this.chunk];
    if (chunk === undefined || !this.contains(chunk)) return undefined;
    chunk.show(this.slot, this.shown);
    return this.shown;
  }

  private contains(chunk: WriteChunk): boolean {
    const { from, to } = this.range;
    if (!this.isForward) return chunk.compare(this.slot, from, 0, from.length) >= 0;
    return to === undefined || chunk.compare(this.slot, to, 0, to.length) < 0;
  }
}
