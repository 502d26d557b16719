/**
 * The commit lane: one commit after the other, from validation to the memtable. Short ones take one synchronous go. A long one has the lane for
 * itself while the event loop turns now and then; nobody sees any of it before `applied` moves. Only the answer waits for the log;
 * meanwhile the next commits join the same group.
 *
 * A *write batch* holds a transaction's own writes in key order, a *read set* the points and intervals that were looked at (empty gaps
 * included), the *write history* which keys were committed when. Invariants: a sequence is the number of a log record; blind writes and
 * read-only transactions never conflict; whatever is not known for certain is a conflict.
 */

import type { Clock, Pending, Scheduler, Steps } from '#base';
import { fail } from '#failure';
import type { CommitMemory } from '../batch/commit-memory.ts';
import { RecordWriter, recordBytesMax } from '../batch/commit-record.ts';
import { resumeSteps, Stretch } from '../batch/stretch.ts';
import { eachOfFew, eachWrite, type WriteBatch } from '../batch/write-batch.ts';
import { storeLimits } from '../contract/limits.ts';
import { fullDetail } from '../contract/no-room.ts';
import type { LaneCounters } from '../contract/statistics.ts';
import type { CommitOptions, CommitOutcome } from '../contract/store.ts';
import type { Log } from '../log/log.ts';
import { StorageError } from '../object/trouble.ts';
import type { LiveSequence, LiveSequences } from '../version/live-sequences.ts';
import { ExclusiveTurns, type Turn } from './exclusive-turns.ts';
import type { ReadCheck, ReadSet } from './read-set.ts';
import type { WriteHistory } from './write-history.ts';

export interface LaneParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly history: WriteHistory;
  /** Transactions that may still be validated. */
  readonly candidates: LiveSequences;
  readonly scheduler: Scheduler;
  readonly memory: CommitMemory;
  /** Answers before the log holds the commit. */
  readonly acknowledgesEarly: boolean;
  /** Of the writes of one commit, encoded. */
  readonly recordBytesMax?: number;
}

/** What a transaction hands to the lane. */
interface Candidate {
  readonly place: LiveSequence;
  readonly turn: Turn | undefined;
  readonly batch: WriteBatch;
  readonly reads: ReadSet;
}

/** The sequence of a commit that is applied and waits for the log, or what happened instead. */
type End = number | CommitOutcome;

const conflict = (key: Uint8Array | undefined): CommitOutcome => ({ kind: 'conflict', key });

export class CommitLane {
  /** The newest applied sequence. A commit's sequence is the number of its log record. */
  applied: number;
  poisoned: Error | undefined;
  /** Why nothing is committed at present: the last look at the place failed. What was committed before waits for the log as ever. */
  suspended: Error | undefined;
  /** Bytes of the largest write that was refused for want of room, while nobody has found as much since; else 0. */
  refusedBytes = 0;
  /** Nothing is committed any more, in good order. */
  isClosed = false;
  /** Resolves when the long commit under way is through. */
  held: Promise<void> | undefined;
  readonly turns = new ExclusiveTurns(() => this.held);
  readonly counters: LaneCounters = { commits: 0, conflicts: 0, writes: 0, writtenBytes: 0 };
  private readonly parts: LaneParts;
  private readonly records = new RecordWriter();
  private readonly stretch: Stretch;

  constructor(parts: LaneParts, applied: number) {
    this.parts = parts;
    this.stretch = new Stretch(parts.scheduler);
    this.applied = applied;
  }

  /** Rejects with `storage_unavailable` when the store is poisoned; the candidate has left `candidates` afterwards. */
  commit(candidate: Candidate, options: CommitOptions): Promise<CommitOutcome> {
    const wait = this.turns.admission(candidate.turn) ?? this.held;
    if (wait !== undefined) return wait.then(() => this.commit(candidate, options));
    const bytes = recordBytesMax(candidate.batch);
    if (bytes > this.recordBytesMax) return this.refuseLarge(candidate, bytes);
    const room = this.parts.log.room?.(bytes);
    if (room !== undefined) return this.commitIn(room, bytes, candidate, options);
    try {
      if (candidate.batch.isSmall && candidate.reads.isSmall) {
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

  /** A long commit: others wait until it is through, but not for the log. */
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

  /** Nothing has been written, and nobody else is concerned. */
  private refuseLarge({ place }: Candidate, bytes: number): Promise<never> {
    this.parts.candidates.remove(place);
    const mib = (count: number) => Math.ceil(count / (1 << 20));
    const detail = `the program writes ${mib(bytes)} MiB, and one transaction may write ${mib(this.recordBytesMax)}: split it into several`;
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
    const isFull = cause instanceof StorageError && cause.trouble.kind === 'full';
    if (!isFull) return fail('storage_unavailable', 'the log cannot be extended', { cause });
    this.refusedBytes = Math.max(this.refusedBytes, bytes);
    const { retryAfterSeconds } = storeLimits;
    return fail('overloaded', fullDetail, { cause, retryAfterSeconds });
  }

  /** For long work on a batch that is not with the lane yet. */
  newStretch(): Stretch {
    return new Stretch(this.parts.scheduler);
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

  /** Nearly every commit: one synchronous go without steps, which would cost it more than its work. */
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
    const { batch, place } = candidate;
    let sequence: number;
    try {
      this.refuseWhenPoisoned();
      const lost = yield* this.validate(candidate);
      if (lost !== undefined) return this.lose(lost);
      const record = yield* this.records.encode(batch, this.stretch);
      if (this.held !== undefined) yield* this.roomAgain(batch);
      this.refuseWhenPoisoned();
      const refused = askOwner(options);
      if (refused !== undefined) return this.lose(refused);
      sequence = this.append(record);
    } finally {
      this.parts.candidates.remove(place);
    }
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

  /** What tells whether something that was read has changed; undefined when nothing can have, `forgotten` when it is not known any more. */
  private readCheck({ place, reads }: Candidate): ReadCheck | 'forgotten' | undefined {
    const since = place.sequence;
    const { history } = this.parts;
    if (since === this.applied || reads.isEmpty) return undefined;
    if (since < history.floor) return 'forgotten';
    return {
      point: (point) => (history.pointChanged(point, since) ? point : undefined),
      range: (range) => history.rangeChanged(range, since),
    };
  }

  private lose(lost: CommitOutcome): CommitOutcome {
    this.counters.conflicts++;
    return lost;
  }

  /** Groups of the log that were on their way may have taken the place that a long commit had found. */
  private *roomAgain(batch: WriteBatch): Steps<void> {
    for (;;) {
      const bytes = recordBytesMax(batch);
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
      const { memory, history } = this.parts;
      memory.begin();
      const nowMs = this.beginHistory(sequence);
      if (nowMs !== undefined) eachOfFew(batch, (write) => history.add(write, sequence, nowMs));
      eachOfFew(batch, (write) => memory.insert(write, sequence));
      this.show(batch, sequence, options);
    } catch (cause) {
      return this.halfApplied(cause);
    }
    return sequence;
  }

  /** The commit is in the log, and so in the order of all commits. Readers see all of it at once, at the end. */
  private *apply(batch: WriteBatch, sequence: number, options: CommitOptions): Steps<End> {
    try {
      const { memory, history } = this.parts;
      memory.begin();
      const nowMs = this.beginHistory(sequence);
      if (nowMs !== undefined) {
        yield* eachWrite(batch, this.stretch, (write) => history.add(write, sequence, nowMs));
      }
      yield* eachWrite(batch, this.stretch, (write) => memory.insert(write, sequence));
      this.show(batch, sequence, options);
    } catch (cause) {
      return this.halfApplied(cause);
    }
    return sequence;
  }

  private show(batch: WriteBatch, sequence: number, options: CommitOptions): void {
    this.parts.memory.end(batch, sequence, this.records.crc);
    this.applied = sequence;
    options.applied?.(sequence);
    this.counters.commits++;
    this.counters.writes += batch.count;
    this.counters.writtenBytes += batch.bytes;
  }

  /** The log has the commit, the memory does not: only a reopen can tell. */
  private halfApplied(cause: unknown): CommitOutcome {
    this.poison(cause as Error);
    return { kind: 'unknown', cause };
  }

  /**
   * When the writes of a commit are remembered, by the steady clock; undefined without another open transaction, for then nobody may ask. One that begins
   * while a long commit is under way does not see it, and is told that it may have lost.
   */
  private beginHistory(sequence: number): number | undefined {
    const { history, candidates, clock } = this.parts;
    const { oldest } = candidates;
    if (oldest === undefined) {
      history.forget(sequence, sequence);
      return undefined;
    }
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
    return fail('storage_unavailable', 'the log takes no records', { cause });
  }
}

function askOwner(options: CommitOptions): CommitOutcome | undefined {
  return options.validate === undefined || options.validate() ? undefined : conflict(undefined);
}
