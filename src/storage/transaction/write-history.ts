/**
 * The history of written keys, against which commits are validated. The history covers every commit that an open transaction might not have seen.
 *
 * A large commit is recorded as key ranges, a long one as its batch, and every other commit as keys. Batches and keys are in generations, newest
 * first. A generation is dropped as a whole when no live transaction is older than it, or when the history exceeds its memory or age limit. The
 * history is complete above `floor`: a commit with an older snapshot is a conflict.
 */

import type { Write } from '../batch/write.ts';
import type { WriteBatch } from '../batch/write-batch.ts';
import type { KeyRange } from '../contract/store.ts';
import { HistoryBatch } from './history-batch.ts';
import { HistoryKeys } from './history-keys.ts';
import type { WrittenRanges } from './written-ranges.ts';

interface HistoryLimits {
  readonly bytesMax: number;
  readonly ageMsMax: number;
}

const historyLimits: HistoryLimits = { bytesMax: 32 << 20, ageMsMax: 60_000 };

/** Number of generations at the limits, so that one eighth is dropped at a time. */
const generationsMax = 8;
/** Maximum number of generations of long commits. Every check of a commit searches all that its snapshot does not contain. */
const ofLongCommitsMax = 64;

interface Generation {
  readonly keys: HistoryKeys | HistoryBatch;
  readonly startedMs: number;
  /** Time of its last recorded key. */
  lastMs: number;
}

/** A commit that is remembered by key ranges. */
interface LargeCommit {
  readonly ranges: WrittenRanges;
  readonly sequence: number;
  readonly atMs: number;
}

/** Stands for an unknown key in a range that a large commit has written. */
export const unknownKey = new Uint8Array(0);

export class WriteHistory {
  /** The history contains every commit after this sequence. */
  floor = 0;
  private readonly limits: HistoryLimits;
  private generations: Generation[] = [];
  /** Oldest first. */
  private large: LargeCommit[] = [];

  constructor(floor: number, limits: HistoryLimits = historyLimits) {
    this.floor = floor;
    this.limits = limits;
  }

  get bytes(): number {
    const bytes = this.generations.reduce((sum, generation) => sum + generation.keys.bytes, 0);
    return this.large.reduce((sum, { ranges }) => sum + ranges.bytes, bytes);
  }

  /** Records the keys of a large commit, like `add`. */
  addRanges(ranges: WrittenRanges, sequence: number, atMs: number): void {
    this.large.push({ ranges, sequence, atMs });
  }

  /**
   * Records a long commit like `add`, but at once: the batch, which must not change any more, is a generation. Returns false if there are already
   * many generations, because a transaction has been open for long. The caller then adds each key.
   */
  addBatch(batch: WriteBatch, sequence: number, nowMs: number): boolean {
    if (this.generations.length >= ofLongCommitsMax) return false;
    if (batch.count > 0) this.start(new HistoryBatch(batch, sequence), nowMs);
    return true;
  }

  /** Records a key. Commits are recorded in order, each after a call of `expire`. */
  add({ bytes, keyFrom, keyTo }: Write, sequence: number, nowMs: number): void {
    // Open a generation only for a key: an empty one in front would hide those behind it.
    this.open(nowMs).record(bytes, keyFrom, keyTo, sequence);
    (this.generations[0] as Generation).lastMs = nowMs;
  }

  /** Drops commits at or before `sequence`, which are no longer needed. `newest` is the sequence of the newest commit. */
  forget(sequence: number, newest: number): void {
    if (sequence >= newest) {
      if (this.generations.length > 0) this.generations = [];
      if (this.large.length > 0) this.large = [];
      this.floor = newest;
      return;
    }
    while (this.generations.length > 0 && this.oldest().keys.highest <= sequence) this.drop();
    while ((this.large[0]?.sequence ?? Infinity) <= sequence) this.dropLarge();
  }

  /** Returns the key if it was written after `since`, `unknownKey` if another key near it was; otherwise `undefined`. */
  pointChanged(key: Uint8Array, since: number): Uint8Array | undefined {
    for (const { keys } of this.generations) {
      if (keys.highest <= since) break;
      if (keys.pointChanged(key, since)) return key;
    }
    for (const { ranges, sequence } of this.large) {
      if (sequence > since && ranges.mayContain(key)) return unknownKey;
    }
    return undefined;
  }

  /** Returns a key of the range that was written after `since`, or `unknownKey`; `undefined` if there is none. */
  rangeChanged(range: KeyRange, since: number): Uint8Array | undefined {
    for (const { keys } of this.generations) {
      if (keys.highest <= since) break;
      const key = keys.rangeChanged(range, since);
      if (key !== undefined) return key;
    }
    for (const { ranges, sequence } of this.large) {
      if (sequence > since && ranges.mayMeet(range)) return unknownKey;
    }
    return undefined;
  }

  /** Drops generations beyond the age or memory limit. */
  expire(nowMs: number): void {
    while (
      this.generations.length > 0 &&
      (nowMs - this.oldest().lastMs > this.limits.ageMsMax || this.bytes > this.limits.bytesMax)
    ) {
      this.drop();
    }
    while (this.large.length > 0 && this.isTooMuch(nowMs, this.large[0] as LargeCommit)) {
      this.dropLarge();
    }
  }

  private isTooMuch(nowMs: number, { atMs }: LargeCommit): boolean {
    return nowMs - atMs > this.limits.ageMsMax || this.bytes > this.limits.bytesMax;
  }

  private dropLarge(): void {
    const dropped = this.large.shift();
    if (dropped !== undefined) this.floor = Math.max(this.floor, dropped.sequence);
  }

  /** Returns the keys of the newest generation, to which the next key is added. */
  private open(nowMs: number): HistoryKeys {
    const newest = this.generations[0];
    if (newest?.keys instanceof HistoryKeys && this.isOpen(newest, nowMs)) return newest.keys;
    return this.start(new HistoryKeys(), nowMs);
  }

  private isOpen({ keys, startedMs }: Generation, nowMs: number): boolean {
    const { bytesMax, ageMsMax } = this.limits;
    if (keys.bytes >= bytesMax / generationsMax) return false;
    return nowMs - startedMs <= ageMsMax / generationsMax;
  }

  private start<K extends Generation['keys']>(keys: K, nowMs: number): K {
    this.generations.unshift({ keys, startedMs: nowMs, lastMs: nowMs });
    return keys;
  }

  private oldest(): Generation {
    return this.generations[this.generations.length - 1] as Generation;
  }

  private drop(): void {
    const dropped = this.generations.pop();
    if (dropped !== undefined) this.floor = Math.max(this.floor, dropped.keys.highest);
  }
}
