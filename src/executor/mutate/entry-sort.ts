/**
 * Sorts any number of entries by key. They are collected in a buffer. If the buffer exceeds its share of the memory, it is sorted and written to the
 * local disk as a run; the runs are merged when the entries are read.
 */

import { type ByteWriter, compareBytes, type Steps } from '#base';
import type { MemoryReservation } from '../memory.ts';
import type { ProgramFile } from '../spill/program-spill.ts';
import { EntryBuffer } from './entry-buffer.ts';
import { EntryList } from './entry-list.ts';
import { EntryMerge } from './entry-merge.ts';
import { EntryRun } from './entry-run.ts';
import type { MutationContext } from './mutation-context.ts';

/** Number of runs that are merged together; one block of each is in memory. */
const fanIn = 64;
/** Number of entries that are written to a run between two pauses. */
const stepEntries = 1024;
/** Bytes of memory that sorting takes for each entry. */
const sortBytes = 10;
/** Number of entries for which memory is allocated in advance, unless it is known, and the part of the memory that they may take at most. */
const expectedEntries = 1024;
const bytesOfExpected = 1024;

interface SortOptions {
  /** Number of equal bytes with which all keys begin. */
  readonly prefixLength: number;
  /** Expected number of entries. */
  readonly expected?: number;
  /** The share of the memory that an operator may keep; several sorts are open at a time. */
  readonly part: number;
}

export class EntrySort {
  count = 0;
  private readonly mutationContext: MutationContext;
  private readonly options: SortOptions;
  private readonly reservation: MemoryReservation;
  private readonly buffer: EntryBuffer;
  private runs: EntryRun[] = [];
  /** Bytes of memory of the runs. */
  private runBytes = 0;
  private file: ProgramFile | undefined;
  private accounted = 0;
  /** The lowest and the highest key on disk. */
  private lowest: Uint8Array | undefined;
  private highest: Uint8Array | undefined;

  constructor(mutationContext: MutationContext, options: SortOptions) {
    this.mutationContext = mutationContext;
    this.options = options;
    this.reservation = mutationContext.reserve();
    const { prefixLength, expected = expectedEntries, part } = options;
    const bytes = mutationContext.run.memory.shareBytes * part;
    this.buffer = new EntryBuffer(
      prefixLength,
      undefined,
      Math.min(expected, Math.ceil(bytes / bytesOfExpected)),
    );
  }

  /** Receives the bytes of an entry, its key followed by its value, before a call of `added`. */
  get writer(): ByteWriter {
    return this.buffer.writer;
  }

  /** Declares the bytes written since the last entry to be an entry whose key ends at `keyTo`. */
  added(keyTo: number): void {
    this.buffer.added(keyTo);
    this.count++;
  }

  /** Accounts the entries that were added. If it returns true, they exceed their memory: the caller then runs `spill`. */
  get isOver(): boolean {
    const bytes = this.buffer.heldBytes + this.buffer.count * sortBytes;
    if (bytes === this.accounted) return false;
    this.accounted = bytes;
    return !this.reservation.fits(bytes + this.runBytes, this.options.part);
  }

  /** Writes the collected entries to disk. */
  *spill(): Steps<void> {
    const { buffer, mutationContext } = this;
    if (buffer.count === 0) return;
    const order = yield* buffer.order(mutationContext);
    this.widen(buffer.key(order[0] as number), buffer.key(order[order.length - 1] as number));
    const run = yield* this.written((target, from) => {
      const to = Math.min(order.length, from + stepEntries);
      for (let i = from; i < to; i++) buffer.copyTo(target, order[i] as number);
      return to - from;
    });
    buffer.clear();
    this.runs.push(run);
    this.runBytes += run.bytes;
    this.accounted = 0;
    this.reservation.resize(this.runBytes);
  }

  /** Ends adding; returns the entries in key order. Equal keys keep their order. */
  *finish(): Steps<EntryList> {
    const { buffer, mutationContext, reservation } = this;
    if (this.runs.length === 0) {
      const order = yield* buffer.order(mutationContext);
      return new EntryList({ mutationContext, reservation, memory: { run: buffer, order } });
    }
    yield* this.spill();
    const sharedBytes = this.sharedBytes();
    while (this.runs.length > fanIn) yield* this.mergePass(sharedBytes);
    const { runs, file } = this;
    const prefixLength = this.options.prefixLength;
    return new EntryList({
      mutationContext,
      reservation,
      disk: { runs, file, sharedBytes, prefixLength, bytes: this.runBytes },
    });
  }

  /** Merges neighboring runs, so that equal keys keep their order. */
  private *mergePass(sharedBytes: number): Steps<void> {
    const merged: EntryRun[] = [];
    for (let from = 0; from < this.runs.length; from += fanIn) {
      const merge = new EntryMerge(this.runs.slice(from, from + fanIn), sharedBytes);
      merged.push(yield* this.written((target) => moveSome(merge, target)));
    }
    this.runs = merged;
    this.runBytes = merged.reduce((bytes, run) => bytes + run.bytes, 0);
  }

  /** Returns a run that `write` fills: it appends entries from number `from` on and returns how many; 0 at the end. */
  private *written(write: (target: EntryRun, from: number) => number): Steps<EntryRun> {
    const file = this.opened();
    const run = new EntryRun(file);
    for (let from = 0; ; ) {
      const wait = file.crowded() ?? this.mutationContext.pause(stepEntries);
      if (wait !== undefined) yield wait;
      const count = write(run, from);
      if (count === 0) break;
      from += count;
    }
    const wait = run.finish();
    if (wait !== undefined) yield wait;
    return run;
  }

  private opened(): ProgramFile {
    this.file ??= this.mutationContext.spill.open();
    return this.file;
  }

  private widen(first: Uint8Array, last: Uint8Array): void {
    const { lowest, highest } = this;
    if (lowest === undefined || compareBytes(first, lowest) < 0) this.lowest = first.slice();
    if (highest === undefined || compareBytes(last, highest) > 0) this.highest = last.slice();
  }

  /** Returns the number of bytes with which all keys on disk begin: those of the lowest and the highest one. */
  private sharedBytes(): number {
    const { lowest, highest } = this;
    if (lowest === undefined || highest === undefined) return 0;
    let count = 0;
    while (count < lowest.length && lowest[count] === highest[count]) count++;
    return count;
  }
}

/** Moves the next entries of a merge to a run; returns how many. */
function moveSome(merge: EntryMerge, target: EntryRun): number {
  let count = 0;
  for (; count < stepEntries && merge.current !== undefined; count++) {
    const { bytes, keyFrom, keyTo, valueTo } = merge.current;
    target.add(bytes, keyFrom, keyTo, valueTo);
    merge.advance();
  }
  return count;
}
