/**
 * The writes of one transaction: a batch in memory above sorted runs on disk. A batch that exceeds
 * the share of the transaction becomes a run.
 *
 * A mark belongs to the batch that was current when it was set. When such a batch becomes a run, a
 * copy of it with the writes up to its newest mark is *parked*: the run also contains later writes,
 * so an undo discards the run and continues with the copy.
 */

import { invariant, type Steps } from '#base';
import { fail } from '#failure';
import { type CommitYield, resumeSteps } from '../batch/commit-yield.ts';
import { WriteBatch } from '../batch/write-batch.ts';
import type { KeyRange } from '../contract/store.ts';
import type { CursorSource } from '../cursor/source.ts';
import type { RunCommit } from './run-commit.ts';
import type { WrittenRanges } from './written-ranges.ts';

/** A batch that was written to disk. */
export interface SpilledRun {
  /** Its entries. All have the sequence 0, so every view sees them. */
  readonly source: CursorSource;
  readonly ranges: WrittenRanges;
  /** Tracked ranges that it writes. */
  readonly areas: ReadonlySet<number>;
  readonly dropped: readonly KeyRange[];
  /** True if it was merged from several runs. */
  readonly isJoined: boolean;
}

/** The disk space for the runs of transactions, and the way from there into the store. */
export interface RunSpace {
  /** Memory in bytes of a batch above which it is written to disk. */
  readonly shareBytes: number;
  /** Maximum number of runs of one transaction, and number of runs that are merged into one. */
  readonly runsMax: number;
  readonly joinedRuns: number;
  /** Writes a batch, which must not change meanwhile. Rejects if there is no space. */
  write(batch: WriteBatch): Promise<SpilledRun>;
  discard(runs: readonly SpilledRun[]): void;
  /** Merges adjacent runs, oldest first, into one. Rejects if there is no space. */
  join(runs: readonly SpilledRun[]): Promise<SpilledRun>;
  /**
   * Merges runs, oldest first, into SSTables that are durable and that nothing names yet. Runs of
   * one transaction are merged at a time. Rejects if there is no space.
   */
  prepare(runs: readonly SpilledRun[], dropped: readonly KeyRange[]): Promise<RunCommit>;
  /** Deletes the SSTables of a commit that did not happen. */
  abandon(commit: RunCommit): void;
}

interface Mark {
  batch: WriteBatch;
  /** The number of the mark in its batch. */
  readonly mark: number;
  /** Number of runs below the batch. */
  readonly runs: number;
}

export class OwnWrites {
  /** Receives the writes. */
  batch = new WriteBatch();
  private readonly space: RunSpace | undefined;
  /** Oldest first. */
  private runs: readonly SpilledRun[] = [];
  private readonly marks: Mark[] = [];
  private isReleased = false;

  constructor(space: RunSpace | undefined) {
    this.space = space;
  }

  get isEmpty(): boolean {
    return this.batch.isEmpty && this.runs.length === 0;
  }

  get hasRuns(): boolean {
    return this.runs.length > 0;
  }

  /** Returns whether the batch exceeds its share. */
  get isDue(): boolean {
    const { space, batch } = this;
    return space !== undefined && batch.count > 0 && batch.heldBytes > space.shareBytes;
  }

  /** Returns the approximate memory in bytes. */
  get heldBytes(): number {
    let bytes = this.batch.heldBytes;
    let last = this.batch;
    for (const { batch } of this.marks) {
      if (batch !== last && batch !== this.batch) bytes += batch.heldBytes;
      last = batch;
    }
    for (const { ranges } of this.runs) bytes += ranges.bytes;
    return bytes;
  }

  /** Returns the runs as sources of reads, newest first. */
  sources(): readonly CursorSource[] {
    return this.runs.map(({ source }) => source).reverse();
  }

  mark(): number {
    const { batch, runs } = this;
    return this.marks.push({ batch, mark: batch.mark(), runs: runs.length }) - 1;
  }

  *undo(mark: number, stretch: CommitYield): Steps<void> {
    const found = this.marks[mark];
    invariant(found !== undefined, 'a mark is used while it lives');
    this.marks.length = mark + 1;
    if (found.batch !== this.batch) {
      this.space?.discard(this.runs.slice(found.runs));
      this.runs = this.runs.slice(0, found.runs);
      this.batch = found.batch;
    }
    yield* found.batch.undo(found.mark, stretch);
  }

  forget(mark: number): void {
    invariant(mark < this.marks.length, 'a mark is used while it lives');
    const done = new Set<WriteBatch>();
    for (const { batch, mark: own } of this.marks.splice(mark)) {
      if (!done.has(batch)) batch.forget(own);
      done.add(batch);
    }
  }

  /** Writes the batch to disk as a run. Nothing may be written meanwhile. If it fails, nothing has changed. */
  async spill(stretch: CommitYield): Promise<void> {
    const { space, batch } = this;
    invariant(space !== undefined, 'only a store with a disk has runs');
    if (this.runs.length >= space.runsMax) throw tooMany();
    const run = await space.write(batch);
    const parked = batch.marks === 0 ? undefined : await parkedOf(batch, stretch);
    if (this.isReleased) {
      space.discard([run]);
      return;
    }
    for (const mark of this.marks) if (parked && mark.batch === batch) mark.batch = parked;
    this.runs = [...this.runs, run];
    this.batch = new WriteBatch();
    await this.join(space);
  }

  /** Merges the newest runs if they are many, so that reads search few runs, and few files are open. */
  private async join(space: RunSpace): Promise<void> {
    // An undo to the last mark discards all runs above it.
    const marked = this.marks.at(-1)?.runs ?? 0;
    const first = Math.max(marked, this.runs.findLastIndex((run) => run.isJoined) + 1);
    const few = this.runs.slice(first);
    if (few.length < space.joinedRuns) return;
    const joined = await space.join(few);
    if (this.isReleased) {
      space.discard([joined]);
      return;
    }
    space.discard(few);
    this.runs = [...this.runs.slice(0, first), joined];
  }

  /** Writes everything into SSTables for a commit. The writes cannot be used after that. */
  async prepare(stretch: CommitYield): Promise<RunCommit> {
    const { space } = this;
    invariant(space !== undefined, 'only a store with a disk has runs');
    try {
      if (this.batch.count > 0) await this.spill(stretch);
      const dropped = [...this.runs.flatMap((run) => run.dropped), ...this.batch.dropped];
      return await space.prepare(this.runs, dropped);
    } finally {
      this.release();
    }
  }

  /** Deletes the runs. */
  release(): void {
    this.isReleased = true;
    if (this.runs.length > 0) this.space?.discard(this.runs);
    this.runs = [];
  }
}

async function parkedOf(batch: WriteBatch, stretch: CommitYield): Promise<WriteBatch> {
  // Open scans still read the batch itself.
  const copy = batch.clone();
  const steps = copy.undo(copy.marks - 1, stretch);
  const step = steps.next();
  if (!step.done) await resumeSteps(steps, step.value);
  return copy;
}

function tooMany(): Error {
  return fail(
    'memory_limit',
    'the program writes more than one transaction may write to the disk; split the program into several',
  );
}
