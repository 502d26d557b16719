/** A serializable transaction: a view, its own writes over the view, and a record of everything that it has read. */

import { invariant, isPending, type Pending } from '#base';
import { resumeSteps } from '../batch/commit-yield.ts';
import type { Write } from '../batch/write.ts';
import { WriteBatch } from '../batch/write-batch.ts';
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
import type { LiveSequence, LiveSequences } from '../version/live-sequences.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Turn } from './exclusive-turns.ts';
import { OverlayCursor } from './overlay-cursor.ts';
import { ReadSet } from './read-set.ts';

/** The state that a transaction reads. */
interface BaseView extends ReadView {
  readonly sequence: number;
  release(): void;
}

interface TransactionParts {
  readonly view: BaseView;
  readonly commitQueue: CommitQueue;
  readonly candidates: LiveSequences;
}

export class StoreTransaction implements Transaction {
  readonly sequence: number;
  private readonly view: BaseView;
  private readonly commitQueue: CommitQueue;
  private readonly candidates: LiveSequences;
  private readonly place: LiveSequence;
  private readonly turn: Turn | undefined;
  private readonly batch = new WriteBatch();
  private readonly reads = new ReadSet();
  private state: 'open' | 'undoing' | 'committed' | 'released' = 'open';

  constructor({ view, commitQueue, candidates }: TransactionParts) {
    this.view = view;
    this.commitQueue = commitQueue;
    this.candidates = candidates;
    this.sequence = view.sequence;
    this.place = candidates.add(view.sequence);
    this.turn = commitQueue.turns.own;
  }

  get isEmpty(): boolean {
    return this.batch.isEmpty;
  }

  get readBytes(): number {
    return this.reads.bytes;
  }

  get writeBytes(): number {
    return this.batch.heldBytes;
  }

  get(key: Uint8Array): Uint8Array | undefined | Pending {
    this.assertOpen();
    const own = this.batch.find(key);
    if (own !== undefined) {
      return own.isTombstone ? undefined : own.bytes.subarray(own.keyTo, own.valueTo);
    }
    const value = this.view.get(key);
    if (!isPending(value)) this.reads.addPoint(key);
    return value;
  }

  find(key: Uint8Array): FoundValue | undefined | Pending {
    this.assertOpen();
    const own = this.batch.find(key);
    if (own !== undefined) return own.isTombstone ? undefined : valueIn(own);
    const found = this.view.find(key);
    if (!isPending(found)) this.reads.addPoint(key);
    return found;
  }

  scan(range: KeyRange, direction: Direction, bounds?: readonly ZoneBound[]): EntryCursor {
    this.assertOpen();
    const base = this.view.scan(range, direction, bounds);
    const cursor = new OverlayCursor(base, this.batch, { range, direction }, this.reads);
    this.reads.opened(cursor);
    return cursor;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.assertOpen();
    this.batch.put(key, value);
  }

  own(bytes: Uint8Array): number {
    this.assertOpen();
    return this.batch.own(bytes);
  }

  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void {
    this.assertOpen();
    this.batch.putOwned(owned, keyFrom, keyTo, valueTo);
  }

  delete(key: Uint8Array): void {
    this.assertOpen();
    this.batch.delete(key);
  }

  dropRange(range: KeyRange): void {
    this.assertOpen();
    this.batch.dropRange(range);
  }

  relieve(): Pending | undefined {
    this.assertOpen();
    return undefined;
  }

  mark(): number {
    this.assertOpen();
    return this.batch.mark();
  }

  undo(mark: number): Pending | undefined {
    this.assertOpen();
    this.reads.closeScans();
    const steps = this.batch.undo(mark, this.commitQueue.newStretch());
    const step = steps.next();
    if (step.done) return undefined;
    this.state = 'undoing';
    return resumeSteps(steps, step.value).then(() => {
      if (this.state === 'undoing') this.state = 'open';
    });
  }

  forget(mark: number): void {
    this.assertOpen();
    this.batch.forget(mark);
  }

  commit(options: CommitOptions = {}): Promise<CommitOutcome> {
    this.assertOpen();
    this.state = 'committed';
    const { batch, reads, place, turn } = this;
    if (!batch.isEmpty) return this.commitQueue.commit({ batch, reads, place, turn }, options);
    this.candidates.remove(place);
    return this.readOnly(this.commitQueue.durable(this.sequence));
  }

  release(): void {
    if (this.state === 'released') return;
    if (this.state !== 'committed') this.candidates.remove(this.place);
    this.state = 'released';
    this.reads.closeScans();
    this.view.release();
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

function valueIn({ bytes, keyTo, valueTo }: Write): FoundValue {
  return { block: undefined, slot: 0, value: bytes, valueFrom: keyTo, valueTo };
}
