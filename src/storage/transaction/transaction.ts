/** A serializable transaction: a view, its own writes over the view, and a record of everything that it has read. */

import { invariant, isPending, type Pending } from '#base';
import { resumeSteps } from '../batch/commit-yield.ts';
import type { Write } from '../batch/write.ts';
import { WriteBatch } from '../batch/write-batch.ts';
import type { KeyBatch } from '../contract/key-batch.ts';
import type {
  CommitOptions,
  CommitOutcome,
  Direction,
  EntryCursor,
  KeyRange,
  ReadView,
  Transaction,
} from '../contract/store.ts';
import type { FoundValue, ZoneBound } from '../contract/stored-block.ts';
import type { CursorSource } from '../cursor/source.ts';
import type { LiveSequence, LiveSequences } from '../version/live-sequences.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Turn } from './exclusive-turns.ts';
import { OverlayCursor } from './overlay-cursor.ts';
import { OwnWrites, type RunSpace } from './own-writes.ts';
import { ReadSet } from './read-set.ts';
import type { RunCommit } from './run-commit.ts';

/** The state that a transaction reads. */
interface BaseView extends ReadView {
  readonly sequence: number;
  /** Reads `sources`, newest first, before everything else from now on. Open scans do not change. */
  overlay(sources: readonly CursorSource[]): void;
  release(): void;
}

interface TransactionParts {
  readonly view: BaseView;
  readonly commitQueue: CommitQueue;
  readonly candidates: LiveSequences;
  /** Space for writes that memory does not hold; none if writes of any size stay in memory. */
  readonly space?: RunSpace | undefined;
}

export class StoreTransaction implements Transaction {
  readonly sequence: number;
  private readonly view: BaseView;
  private readonly commitQueue: CommitQueue;
  private readonly candidates: LiveSequences;
  private readonly place: LiveSequence;
  private readonly turn: Turn | undefined;
  private readonly space: RunSpace | undefined;
  private readonly writes: OwnWrites;
  private readonly reads = new ReadSet();
  private state: 'open' | 'busy' | 'committed' | 'released' = 'open';

  constructor({ view, commitQueue, candidates, space }: TransactionParts) {
    this.space = space;
    this.writes = new OwnWrites(space);
    this.view = view;
    this.commitQueue = commitQueue;
    this.candidates = candidates;
    this.sequence = view.sequence;
    this.place = candidates.add(view.sequence);
    this.turn = commitQueue.turns.own;
  }

  get isEmpty(): boolean {
    return this.writes.isEmpty;
  }

  get readBytes(): number {
    return this.reads.bytes;
  }

  get writeBytes(): number {
    return this.writes.heldBytes;
  }

  get(key: Uint8Array): Uint8Array | undefined | Pending {
    this.assertOpen();
    const own = this.writes.batch.find(key);
    if (own !== undefined) {
      return own.isTombstone ? undefined : own.bytes.subarray(own.keyTo, own.valueTo);
    }
    const value = this.view.get(key);
    if (!isPending(value)) this.reads.addPoint(key);
    return value;
  }

  find(key: Uint8Array): FoundValue | undefined | Pending {
    this.assertOpen();
    const own = this.writes.batch.find(key);
    if (own !== undefined) return own.isTombstone ? undefined : valueIn(own);
    const found = this.view.find(key);
    if (!isPending(found)) this.reads.addPoint(key);
    return found;
  }

  findAll(batch: KeyBatch): Pending | undefined {
    this.assertOpen();
    const isOwn = answerOwn(batch, this.writes.batch);
    const wait = this.view.findAll(batch);
    if (wait !== undefined) return wait;
    for (let i = 0; i < batch.end; i++) {
      if (isOwn?.has(i) !== true) this.reads.addPoint(batch.keys[i] as Uint8Array);
    }
    return undefined;
  }

  scan(range: KeyRange, direction: Direction, bounds?: readonly ZoneBound[]): EntryCursor {
    this.assertOpen();
    const base = this.view.scan(range, direction, bounds);
    const cursor = new OverlayCursor(base, this.writes.batch, { range, direction }, this.reads);
    this.reads.opened(cursor);
    return cursor;
  }

  until(wait: Pending): Promise<void> {
    return this.view.until(wait);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.assertOpen();
    this.writes.batch.put(key, value);
  }

  own(bytes: Uint8Array): number {
    this.assertOpen();
    return this.writes.batch.own(bytes);
  }

  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void {
    this.assertOpen();
    this.writes.batch.putOwned(owned, keyFrom, keyTo, valueTo);
  }

  deleteOwned(owned: number, keyFrom: number, keyTo: number): void {
    this.assertOpen();
    this.writes.batch.deleteOwned(owned, keyFrom, keyTo);
  }

  delete(key: Uint8Array): void {
    this.assertOpen();
    this.writes.batch.delete(key);
  }

  dropRange(range: KeyRange): void {
    this.assertOpen();
    this.writes.batch.dropRange(range);
  }

  relieve(): Pending | undefined {
    this.assertOpen();
    if (!this.writes.isDue) return undefined;
    this.state = 'busy';
    return this.spill();
  }

  mark(): number {
    this.assertOpen();
    return this.writes.mark();
  }

  undo(mark: number): Pending | undefined {
    this.assertOpen();
    this.reads.closeScans();
    const steps = this.writes.undo(mark, this.commitQueue.newStretch());
    const step = steps.next();
    if (step.done) {
      this.view.overlay(this.writes.sources());
      return undefined;
    }
    this.state = 'busy';
    return resumeSteps(steps, step.value).then(() => this.goOn());
  }

  forget(mark: number): void {
    this.assertOpen();
    this.writes.forget(mark);
  }

  commit(options: CommitOptions = {}): Promise<CommitOutcome> {
    this.assertOpen();
    this.state = 'committed';
    const { reads, place, turn } = this;
    if (this.writes.hasRuns) return this.commitRuns(options);
    const { batch } = this.writes;
    if (!batch.isEmpty) return this.commitQueue.commit({ batch, reads, place, turn }, options);
    this.candidates.remove(place);
    return this.readOnly(this.commitQueue.durable(this.sequence));
  }

  release(): void {
    if (this.state === 'released') return;
    if (this.state !== 'committed') {
      this.candidates.remove(this.place);
      this.writes.release();
    }
    this.state = 'released';
    this.reads.closeScans();
    this.view.release();
  }

  private async spill(): Promise<void> {
    try {
      await this.writes.spill(this.commitQueue.newStretch());
    } finally {
      this.goOn();
    }
  }

  /** Opens the transaction again after long work on its writes. */
  private goOn(): void {
    if (this.state !== 'busy') return;
    this.state = 'open';
    this.view.overlay(this.writes.sources());
  }

  /** Commits writes that are on disk. The commit queue is needed only when they are in SSTables. */
  private async commitRuns(options: CommitOptions): Promise<CommitOutcome> {
    const { reads, place, turn, commitQueue } = this;
    let run: RunCommit;
    try {
      run = await this.writes.prepare(commitQueue.newStretch());
    } catch (error) {
      this.candidates.remove(place);
      throw error;
    }
    let outcome: CommitOutcome | undefined;
    try {
      const batch = new WriteBatch();
      outcome = await commitQueue.commit({ batch, reads, place, turn, run }, options);
      return outcome;
    } finally {
      // If the outcome is unknown, the log record may name the SSTables.
      if (outcome === undefined || outcome.kind === 'conflict') this.space?.abandon(run);
    }
  }

  /** Ends a read-only transaction. The state that it has seen must be durable before the outcome is reported. */
  private async readOnly(wait: Promise<void> | undefined): Promise<CommitOutcome> {
    try {
      if (wait !== undefined) await wait;
      return { kind: 'committed', sequence: this.sequence };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  private assertOpen(): void {
    invariant(this.state === 'open', 'a transaction is used only before its commit or release');
  }
}

/** Answers the keys that the transaction has written, and returns their positions. */
function answerOwn(batch: KeyBatch, writes: WriteBatch): ReadonlySet<number> | undefined {
  if (writes.isEmpty) return undefined;
  const own = new Set<number>();
  for (let i = 0; i < batch.end; i++) {
    const write = writes.find(batch.keys[i] as Uint8Array);
    if (write === undefined) continue;
    own.add(i);
    if (!batch.isOpen(i)) continue;
    if (write.isTombstone) batch.answerAbsent(i);
    else batch.answerBody(i, valueIn(write));
  }
  return own;
}

function valueIn({ bytes, keyTo, valueTo }: Write): FoundValue {
  return { block: undefined, slot: 0, value: bytes, valueFrom: keyTo, valueTo };
}
