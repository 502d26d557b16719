/**
 * The commit lane: one commit after the other, each in one synchronous go from validation to the memtable. Only the answer waits,
 * for the log; meanwhile the next commits join the same group.
 */

import type { Clock } from '#base';
import { fail } from '#failure';
import { storeLimits } from '../limits.ts';
import type { Log } from '../log/log.ts';
import { StorageError } from '../object/trouble.ts';
import { fullDetail } from '../pressure.ts';
import type { CommitOptions, CommitOutcome } from '../store.ts';
import { RecordWriter, recordBytesMax } from './commit-record.ts';
import { ExclusiveTurns, type Turn } from './exclusive-turns.ts';
import type { LiveSequence, LiveSequences } from './live-sequences.ts';
import type { ReadSet } from './read-set.ts';
import type { WriteBatch } from './write-batch.ts';
import type { WriteHistory } from './write-history.ts';

export interface LaneParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly history: WriteHistory;
  /** Transactions that may still be validated. */
  readonly candidates: LiveSequences;
  /** Puts the writes into the memtable. */
  readonly apply: (batch: WriteBatch, sequence: number) => void;
  /** Answers before the log holds the commit. */
  readonly acknowledgesEarly: boolean;
}

/** What a transaction hands to the lane. */
export interface Candidate {
  readonly place: LiveSequence;
  readonly turn: Turn | undefined;
  readonly batch: WriteBatch;
  readonly reads: ReadSet;
}

export interface LaneCounters {
  commits: number;
  conflicts: number;
  writes: number;
  writtenBytes: number;
}

const conflict = (key: Uint8Array | undefined): CommitOutcome => ({ kind: 'conflict', key });

export class CommitLane {
  /** The newest applied sequence. A commit's sequence is the number of its log record. */
  applied: number;
  poisoned: Error | undefined;
  /** Why nothing is committed at present: the last look at the place failed. What was committed before waits for the log as ever. */
  suspended: Error | undefined;
  /** Nothing is committed any more, in good order. */
  isClosed = false;
  readonly turns = new ExclusiveTurns();
  readonly counters: LaneCounters = { commits: 0, conflicts: 0, writes: 0, writtenBytes: 0 };
  private readonly parts: LaneParts;
  private readonly records = new RecordWriter();

  constructor(parts: LaneParts, applied: number) {
    this.parts = parts;
    this.applied = applied;
  }

  /** Rejects with `storage_unavailable` when the store is poisoned; the candidate has left `candidates` afterwards. */
  commit(candidate: Candidate, options: CommitOptions): Promise<CommitOutcome> {
    const wait = this.turns.admission(candidate.turn);
    if (wait !== undefined) return wait.then(() => this.commit(candidate, options));
    const room = this.parts.log.room?.(recordBytesMax(candidate.batch));
    if (room !== undefined) return this.commitIn(room, candidate, options);
    return this.run(candidate, options);
  }

  private async commitIn(
    room: Promise<void>,
    candidate: Candidate,
    options: CommitOptions,
  ): Promise<CommitOutcome> {
    try {
      await room;
    } catch (cause) {
      this.parts.candidates.remove(candidate.place);
      const isFull = cause instanceof StorageError && cause.trouble.kind === 'full';
      if (!isFull) throw fail('storage_unavailable', 'the log cannot be extended', { cause });
      const { retryAfterSeconds } = storeLimits;
      throw fail('overloaded', fullDetail, { cause, retryAfterSeconds });
    }
    return this.commit(candidate, options);
  }

  durable(sequence: number): Promise<void> | undefined {
    return this.parts.acknowledgesEarly ? undefined : this.parts.log.durable(sequence);
  }

  /** Nothing is committed or acknowledged any more. */
  poison(cause: Error): void {
    this.poisoned ??= cause;
  }

  private refuseWhenPoisoned(): void {
    if (this.isClosed) throw fail('storage_unavailable', 'the store is closed');
    this.poisoned ??= this.parts.log.poisoned;
    const cause = this.poisoned ?? this.suspended;
    if (cause === undefined) return;
    throw fail('storage_unavailable', `nothing was written: ${cause.message}`, { cause });
  }

  private run(candidate: Candidate, options: CommitOptions): Promise<CommitOutcome> {
    try {
      this.refuseWhenPoisoned();
      const lost = this.validate(candidate) ?? askOwner(options);
      if (lost !== undefined) {
        this.counters.conflicts++;
        return Promise.resolve(lost);
      }
    } catch (error) {
      return Promise.reject(error);
    } finally {
      this.parts.candidates.remove(candidate.place);
    }
    return this.write(candidate.batch, options);
  }

  private validate({ place, reads }: Candidate): CommitOutcome | undefined {
    const since = place.sequence;
    const { history } = this.parts;
    if (since === this.applied || reads.isEmpty) return undefined;
    if (since < history.floor) return conflict(undefined);
    const key = reads.changedKey({
      point: (point) => (history.pointChanged(point, since) ? point : undefined),
      range: (range) => history.rangeChanged(range, since),
    });
    return key === undefined ? undefined : conflict(key);
  }

  private write(batch: WriteBatch, options: CommitOptions): Promise<CommitOutcome> {
    let sequence: number;
    try {
      sequence = this.parts.log.append([this.records.encode(batch)]);
    } catch (error) {
      return Promise.reject(this.unavailable(error));
    }
    try {
      this.remember(batch, sequence);
      this.parts.apply(batch, sequence);
      this.applied = sequence;
      options.applied?.(sequence);
    } catch (cause) {
      // The log has it, the memory does not: only a reopen can tell.
      this.poison(cause as Error);
      return Promise.resolve({ kind: 'unknown', cause });
    }
    this.counters.commits++;
    this.counters.writes += batch.count;
    this.counters.writtenBytes += batch.bytes;
    return this.acknowledge(sequence);
  }

  /** Only for those that may ask: without another open transaction nothing is recorded. */
  private remember(batch: WriteBatch, sequence: number): void {
    const { history, candidates, clock } = this.parts;
    const { oldest } = candidates;
    if (oldest === undefined) {
      history.forget(sequence, sequence);
      return;
    }
    history.forget(oldest, this.applied);
    history.record(batch, sequence, clock.monotonicMs());
  }

  private acknowledge(sequence: number): Promise<CommitOutcome> {
    const wait = this.durable(sequence);
    const committed: CommitOutcome = { kind: 'committed', sequence };
    if (wait === undefined) return Promise.resolve(committed);
    return wait.then(
      () => committed,
      (cause: unknown) => ({ kind: 'unknown', cause }),
    );
  }

  private unavailable(cause: unknown): Error {
    this.poison(cause as Error);
    return fail('storage_unavailable', 'the log takes no records', { cause });
  }
}

function askOwner(options: CommitOptions): CommitOutcome | undefined {
  return options.validate === undefined || options.validate() ? undefined : conflict(undefined);
}
