/**
 * The commit queue: runs one commit after the other, from validation to the memtable. A short commit is one synchronous step. A long one
 * yields to the event loop but holds the queue exclusively; none of its writes is visible before `applied` advances. Only the
 * acknowledgment waits for the log. Meanwhile the next commits join the same log group.
 *
 * A *write batch* contains the writes of a transaction in key order. A *read set* contains the points and intervals that it examined
 * (including empty gaps). The *write history* contains which keys were committed when. Invariants: a sequence is the number of a log
 * record. Blind writes and read-only transactions never conflict. Anything that is not known for certain is a conflict.
 */

import type { Clock, Pending, Scheduler, Steps } from '#base';
import { fail } from '#failure';
import { RecordWriter, recordBytesMax } from '../batch/commit-record.ts';
import { CommitYield, resumeSteps } from '../batch/commit-yield.ts';
import { eachOfFew, eachWrite, type WriteBatch } from '../batch/write-batch.ts';
import { storeLimits } from '../contract/limits.ts';
import { fullDetail } from '../contract/no-room.ts';
import type { LaneCounters } from '../contract/statistics.ts';
import type { CommitOptions, CommitOutcome } from '../contract/store.ts';
import type { Log } from '../log/log.ts';
import { codeOf, StorageError } from '../object/storage-fault.ts';
import type { LiveSequence, LiveSequences } from '../version/live-sequences.ts';
import { ExclusiveTurns, type Turn } from './exclusive-turns.ts';
import type { ReadCheck, ReadSet } from './read-set.ts';
import type { LaneMemory, RunCommit } from './run-commit.ts';
import { unknownKey, type WriteHistory } from './write-history.ts';

export interface LaneParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly history: WriteHistory;
  /** Snapshot sequences of transactions that might still be validated. */
  readonly candidates: LiveSequences;
  readonly scheduler: Scheduler;
  readonly memory: LaneMemory;
  /** Whether a commit is acknowledged before the log contains it. */
  readonly acknowledgesEarly: boolean;
  /** Maximum size of the encoded writes of one commit in bytes. */
  readonly recordBytesMax?: number;
}

/** A transaction that is ready to commit. */
interface Candidate {
  readonly place: LiveSequence;
  readonly turn: Turn | undefined;
  /** Empty if the writes are in `run`. */
  readonly batch: WriteBatch;
  readonly reads: ReadSet;
  readonly run?: RunCommit | undefined;
}

/** The sequence of a commit that is applied and waits for the log, or another outcome. */
type End = number | CommitOutcome;

const conflict = (key: Uint8Array | undefined): CommitOutcome => ({
  kind: 'conflict',
  key: key === unknownKey ? undefined : key,
});

export class CommitQueue {
  /** The newest applied sequence. The sequence of a commit is the number of its log record. */
  applied: number;
  poisoned: Error | undefined;
  /** The reason why commits fail at present: the last check of the storage location failed. Earlier commits still wait for the log. */
  suspended: Error | undefined;
  /** Size in bytes of the largest write that was refused for lack of space, until a check finds that much space; else 0. */
  refusedBytes = 0;
  /** True after an orderly close: further commits fail. */
  isClosed = false;
  /** Resolves when the long commit in progress is done; `undefined` if there is none. */
  held: Promise<void> | undefined;
  readonly turns = new ExclusiveTurns(() => this.held);
  readonly counters: LaneCounters = { commits: 0, conflicts: 0, writes: 0, writtenBytes: 0 };
  private readonly parts: LaneParts;
  private readonly records = new RecordWriter();
  private readonly stretch: CommitYield;

  constructor(parts: LaneParts, applied: number) {
    this.parts = parts;
    this.stretch = new CommitYield(parts.scheduler);
    this.applied = applied;
  }

  /**
   * Commits a transaction. Rejects with `storage_unavailable` if the store is poisoned. Afterwards the candidate is no longer in
   * `candidates`.
   */
  commit(candidate: Candidate, options: CommitOptions): Promise<CommitOutcome> {
    const wait = this.turns.admission(candidate.turn) ?? this.held;
    if (wait !== undefined) return wait.then(() => this.commit(candidate, options));
    const bytes = recordBytesOf(candidate);
    if (bytes > this.recordBytesMax) return this.refuseLarge(candidate, bytes);
    const room = this.parts.log.room?.(bytes);
    if (room !== undefined) return this.commitIn(room, bytes, candidate, options);
    try {
      if (candidate.batch.isSmall && candidate.reads.isSmall && candidate.run === undefined) {
        return this.answer(this.commitSmall(candidate, options));
      }
      this.stretch.restart();
      const steps = this.steps(candidate, options);
      const step = steps.next();
      return step.done ? this.answer(step.value) : this.goOn(steps, step.value);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Completes a long commit. Other commits wait for it, but not for the log. */
  private async goOn(steps: Steps<End>, first: Pending): Promise<CommitOutcome> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held = promise;
    let end: End;
    try {
      end = await resumeSteps(steps, first);
    } finally {
      this.held = undefined;
      resolve();
    }
    return this.answer(end);
  }

  /** Refuses a commit above the size limit. Nothing has been written, and no other commit is affected. */
  private refuseLarge({ place }: Candidate, bytes: number): Promise<never> {
    this.parts.candidates.remove(place);
    const mib = (count: number) => Math.ceil(count / (1 << 20));
    const detail = `the program writes ${mib(bytes)} MiB, but one transaction may write at most ${mib(this.recordBytesMax)} MiB; split the program into several`;
    return Promise.reject(fail('memory_limit', detail));
  }

  private get recordBytesMax(): number {
    return this.parts.recordBytesMax ?? storeLimits.recordBytesMax;
  }

  private async commitIn(
    room: Promise<void>,
    bytes: number,
    candidate: Candidate,
    options: CommitOptions,
  ): Promise<CommitOutcome> {
    try {
      await room;
    } catch (cause) {
      this.parts.candidates.remove(candidate.place);
      throw this.withoutRoom(cause, bytes);
    }
    return this.commit(candidate, options);
  }

  private withoutRoom(cause: unknown, bytes: number): Error {
    const isFull = cause instanceof StorageError && cause.fault.kind === 'full';
    if (!isFull) return fail('storage_unavailable', 'the log cannot be extended', { cause });
    this.refusedBytes = Math.max(this.refusedBytes, bytes);
    const { retryAfterSeconds } = storeLimits;
    return fail('overloaded', fullDetail, { cause, retryAfterSeconds });
  }

  /** Returns a yield limit for long work on a batch that is not being committed yet. */
  newStretch(): CommitYield {
    return new CommitYield(this.parts.scheduler);
  }

  durable(sequence: number): Promise<void> | undefined {
    return this.parts.acknowledgesEarly ? undefined : this.parts.log.durable(sequence);
  }

  /** Fails all further commits and acknowledgments. */
  poison(cause: Error): void {
    this.poisoned ??= cause;
  }

  private refuseWhenPoisoned(): void {
    if (this.isClosed) throw fail('storage_unavailable', 'the store is closed');
    this.poisoned ??= this.parts.log.poisoned;
    const cause = this.poisoned ?? this.suspended;
    if (cause === undefined) return;
    const remedy = this.poisoned === undefined ? `${codeOf(cause)}${suspendedRemedy}` : '';
    throw fail('storage_unavailable', `nothing was written: ${cause.message}${remedy}`, { cause });
  }

  /** Commits a small transaction synchronously, without steps, which would cost more than the commit. Nearly every commit is small. */
  private commitSmall(candidate: Candidate, options: CommitOptions): End {
    const { batch, place } = candidate;
    let sequence: number;
    try {
      this.refuseWhenPoisoned();
      const lost = this.validateSmall(candidate) ?? askOwner(options);
      if (lost !== undefined) return this.lose(lost);
      sequence = this.append([this.records.encodeSmall(batch)]);
    } finally {
      this.parts.candidates.remove(place);
    }
    return this.applySmall(batch, sequence, options);
  }

  private *steps(candidate: Candidate, options: CommitOptions): Steps<End> {
    const { batch, place, run } = candidate;
    let sequence: number;
    try {
      this.refuseWhenPoisoned();
      const lost = yield* this.validate(candidate);
      if (lost !== undefined) return this.lose(lost);
      const record = run ? [run.record] : yield* this.records.encode(batch, this.stretch);
      if (this.held !== undefined) yield* this.roomAgain(recordBytesOf(candidate));
      this.refuseWhenPoisoned();
      const refused = askOwner(options);
      if (refused !== undefined) return this.lose(refused);
      sequence = this.append(record);
    } finally {
      this.parts.candidates.remove(place);
    }
    if (run !== undefined) return this.applyRun(run, sequence, options);
    return yield* this.apply(batch, sequence, options);
  }

  private validateSmall(candidate: Candidate): CommitOutcome | undefined {
    const check = this.readCheck(candidate);
    if (check === undefined) return undefined;
    if (check === 'forgotten') return conflict(undefined);
    const key = candidate.reads.changedKeyOfFew(check);
    return key === undefined ? undefined : conflict(key);
  }

  private *validate(candidate: Candidate): Steps<CommitOutcome | undefined> {
    const check = this.readCheck(candidate);
    if (check === undefined) return undefined;
    if (check === 'forgotten') return conflict(undefined);
    const key = yield* candidate.reads.changedKey(check, this.stretch);
    return key === undefined ? undefined : conflict(key);
  }

  /**
   * Returns the functions that check whether a key or range has changed since the snapshot. Returns `undefined` if nothing can have changed,
   * and `forgotten` if the history no longer covers the snapshot.
   */
  private readCheck({ place, reads }: Candidate): ReadCheck | 'forgotten' | undefined {
    const since = place.sequence;
    const { history } = this.parts;
    if (since === this.applied || reads.isEmpty) return undefined;
    if (since < history.floor) return 'forgotten';
    return {
      point: (point) => history.pointChanged(point, since),
      range: (range) => history.rangeChanged(range, since),
    };
  }

  private lose(lost: CommitOutcome): CommitOutcome {
    this.counters.conflicts++;
    return lost;
  }

  /** Waits for log space again: log groups in transit might have used the space that a long commit had found. */
  private *roomAgain(bytes: number): Steps<void> {
    for (;;) {
      const room = this.parts.log.room?.(bytes);
      if (room === undefined) return;
      let failure: unknown;
      yield room.catch((cause: unknown) => {
        failure = this.withoutRoom(cause, bytes);
      });
      if (failure !== undefined) throw failure;
    }
  }

  private append(record: readonly Uint8Array[]): number {
    try {
      return this.parts.log.append(record);
    } catch (error) {
      throw this.unavailable(error);
    }
  }

  private applySmall(batch: WriteBatch, sequence: number, options: CommitOptions): End {
    try {
      const { memory, history, candidates } = this.parts;
      memory.begin();
      const { oldest } = candidates;
      if (oldest === undefined) {
        // No transaction can begin before the commit is visible.
        history.forget(sequence, sequence);
      } else {
        const nowMs = this.beginHistory(oldest);
        eachOfFew(batch, (write) => history.add(write, sequence, nowMs));
      }
      eachOfFew(batch, (write) => memory.insert(write, sequence));
      this.show(batch, sequence, options);
    } catch (cause) {
      return this.halfApplied(cause);
    }
    return sequence;
  }

  /** Applies a commit that is in the log, and thereby in the order of all commits. Readers see all of its writes at the end. */
  private *apply(batch: WriteBatch, sequence: number, options: CommitOptions): Steps<End> {
    try {
      const { memory, history, candidates } = this.parts;
      memory.begin();
      const nowMs = this.beginHistory(candidates.oldest ?? this.applied);
      const isAdded = !batch.isSmall && history.addBatch(batch, sequence, nowMs);
      if (!isAdded) {
        yield* eachWrite(batch, this.stretch, (write) => history.add(write, sequence, nowMs));
      }
      yield* eachWrite(batch, this.stretch, (write) => memory.insert(write, sequence));
      this.show(batch, sequence, options);
    } catch (cause) {
      return this.halfApplied(cause);
    }
    return sequence;
  }

  /** Does the same for a commit whose writes are in SSTables, in one step. */
  private applyRun(run: RunCommit, sequence: number, options: CommitOptions): End {
    try {
      const { memory, history, candidates } = this.parts;
      const nowMs = this.beginHistory(candidates.oldest ?? this.applied);
      history.addRanges(run.ranges, sequence, nowMs);
      memory.install(run, sequence);
      this.applied = sequence;
      this.count(run.writes, run.writtenBytes);
      options.applied?.(sequence);
    } catch (cause) {
      return this.halfApplied(cause);
    }
    return sequence;
  }

  private show(batch: WriteBatch, sequence: number, options: CommitOptions): void {
    this.parts.memory.end(batch, sequence, this.records.crc);
    this.applied = sequence;
    options.applied?.(sequence);
    this.count(batch.count, batch.bytes);
  }

  private count(writes: number, bytes: number): void {
    this.counters.commits++;
    this.counters.writes += writes;
    this.counters.writtenBytes += bytes;
  }

  /** Poisons the store: the log contains the commit but the memory does not, so only reopening the store shows the outcome. */
  private halfApplied(cause: unknown): CommitOutcome {
    this.poison(cause as Error);
    return { kind: 'unknown', cause };
  }

  /**
   * Drops the part of the history that no transaction needs if none reads below `oldest`. Returns the time of the commit by the monotonic
   * clock.
   */
  private beginHistory(oldest: number): number {
    const { history, clock } = this.parts;
    history.forget(oldest, this.applied);
    const now = clock.monotonicMs();
    history.expire(now);
    return now;
  }

  private answer(end: End): Promise<CommitOutcome> {
    return typeof end === 'number' ? this.acknowledge(end) : Promise.resolve(end);
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
    return fail('storage_unavailable', 'the log does not accept records', { cause });
  }
}

const suspendedRemedy = '; make the storage location accessible: writes resume without a restart';

function recordBytesOf({ batch, run }: Candidate): number {
  return run === undefined ? recordBytesMax(batch) : run.record.length;
}

function askOwner(options: CommitOptions): CommitOutcome | undefined {
  return options.validate === undefined || options.validate() ? undefined : conflict(undefined);
}
