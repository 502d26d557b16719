/** One open transaction: its state, its calls and its end. */

import { invariant } from '#base';
import type { Catalog } from '#catalog';
import { ClientGone, Memory } from '#executor';
import { fail } from '#failure';
import type { RequestContext } from '../admission/request-context.ts';
import type { ProgramRequest, ProgramResponse } from '../response.ts';
import { Basis } from './basis.ts';
import { type BlockSeed, blockWorld, drawSeed } from './block-world.ts';
import { commitOn } from './commit.ts';
import { type Draft, emptyDraft } from './draft.ts';
import type {
  BeginFacts,
  EngineTransaction,
  RunOptions,
  TransactionEnding,
} from './engine-transaction.ts';
import type { TransactionState } from './open.ts';
import type { SessionParts } from './parts.ts';
import { ReplayLog } from './replay-log.ts';
import { runOn } from './statement.ts';

const endings = {
  committed: 'commit',
  rolled_back: 'rollback',
} as const;

export class OpenTransaction implements EngineTransaction {
  readonly id: string;
  readonly isReadOnly: boolean;
  readonly facts: BeginFacts;
  readonly beganMs: number;
  readonly ended: Promise<TransactionEnding>;
  readonly basis = new Basis();
  readonly replayLog = new ReplayLog();
  readonly parts: SessionParts;
  /** Set from the first statement to the end, or to a failure after which nothing can be retained. */
  held: TransactionState | undefined;
  draft: Draft;
  private readonly memory: Memory;
  private readonly seed: BlockSeed;
  private readonly marks: Draft[] = [];
  private readonly over: (ending: TransactionEnding) => void;
  /** `busy`: a call is in progress. `failed`: a statement has failed, and no mark has been restored since. */
  private state: 'ready' | 'busy' | 'failed' | 'over' = 'ready';
  /** The request context of the call in progress. */
  private requestContext: RequestContext | undefined;
  /** The reason for which the transaction has to end; `undefined` before. */
  private ending: TransactionEnding | undefined;
  private reason: Error | undefined;
  private lingering: Promise<unknown> | undefined;
  private readonly idle: { deadlineMs: number; late(): void };
  private readonly whole: { readonly deadlineMs: number; late(): void };

  constructor(id: string, facts: BeginFacts, parts: SessionParts) {
    const { database, admission, limits } = parts;
    this.id = id;
    this.facts = facts;
    this.parts = parts;
    this.isReadOnly = facts.isReadOnly === true || database.isReadOnly;
    this.draft = emptyDraft(database.catalog);
    this.memory = new Memory(admission.limits.programMemoryBytes, admission.pool);
    this.beganMs = database.world.clock.monotonicMs();
    this.seed = drawSeed(database.world);
    const { promise, resolve } = Promise.withResolvers<TransactionEnding>();
    this.ended = promise;
    this.over = resolve;
    this.idle = { deadlineMs: 0, late: () => this.end('idle', late('waited for', limits.idleMs)) };
    const wholeMs = limits.wholeMs > 0 ? this.beganMs + limits.wholeMs : Infinity;
    const tooOld = () => this.end('expired', late('was open for', limits.wholeMs));
    this.whole = { deadlineMs: wholeMs, late: tooOld };
  }

  /** Lets the limits and the signal of the client end the transaction from now on. */
  start(): void {
    this.parts.deadlines.add(this.whole);
    this.rest('ready');
    const { signal } = this.facts;
    if (signal?.aborted) this.gone();
    else signal?.addEventListener('abort', this.gone);
  }

  get catalog(): Catalog {
    return this.held === undefined ? this.parts.database.catalog : this.draft.catalog;
  }

  get bytes(): number {
    return this.memory.usedBytes;
  }

  async run(
    request: ProgramRequest,
    { requestContext, deadlineMs }: RunOptions = {},
  ): Promise<ProgramResponse> {
    this.requireReady();
    try {
      const response = await this.call(
        (own) => runOn(this, request, own),
        requestContext,
        deadlineMs,
      );
      if (this.reason !== undefined) throw this.reason;
      this.rest('ready');
      return response;
    } catch (error) {
      await this.takeBack();
      throw error;
    }
  }

  mark(): number {
    this.requireReady();
    const { marksMax } = this.parts.limits;
    if (this.marks.length >= marksMax) {
      throw fail('invalid', `a transaction has at most ${marksMax} marks; release some`);
    }
    this.held?.transaction?.mark();
    return this.marks.push(this.draft) - 1;
  }

  undo(mark: number): void | Promise<void> {
    this.requireIdle();
    const draft = this.marks[mark];
    invariant(draft !== undefined, 'a mark is used while it lives');
    this.marks.length = mark + 1;
    // The client has seen answers that depend on writes which are now undone.
    this.replayLog.drop();
    // Nothing was held when the mark was set, so the state starts empty.
    this.draft = this.held === undefined ? emptyDraft(this.catalog) : draft;
    const wait = this.held?.transaction?.undo(mark);
    if (wait === undefined) {
      this.undone();
      return undefined;
    }
    this.begin();
    return wait.then(() => this.undone());
  }

  release(mark: number): void {
    this.requireReady();
    invariant(mark < this.marks.length, 'a mark is used while it lives');
    this.marks.length = mark;
    this.held?.transaction?.forget(mark);
  }

  async commit(): Promise<'committed' | 'conflict'> {
    this.requireReady();
    let ending: TransactionEnding | undefined;
    try {
      ending = await this.call((requestContext) => commitOn(this, requestContext));
      return ending;
    } finally {
      this.finish(ending ?? this.ending ?? 'failed');
    }
  }

  rollback(): void {
    this.end('rolled_back', new ClientGone());
  }

  /** Ends the transaction: immediately between calls, otherwise by ending the call in progress, which then throws `reason`. */
  end(ending: TransactionEnding, reason: Error): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    this.reason = reason;
    if (this.state === 'busy') this.requestContext?.budget.end(reason);
    else this.finish(ending);
  }

  /** Takes the state for all reads. Its catalog is the newest one. */
  hold(): TransactionState {
    if (this.held !== undefined) return this.held;
    const { store, catalog } = this.parts.database;
    const transaction = this.isReadOnly ? undefined : store.begin();
    for (const _ of this.marks) transaction?.mark();
    const world = blockWorld(this.parts.database.world, this.seed);
    this.held = { view: transaction ?? store.snapshot(), transaction, base: catalog, world };
    this.draft = emptyDraft(catalog);
    for (let i = 0; i < this.marks.length; i++) this.marks[i] = this.draft;
    return this.held;
  }

  /** Takes the newest state in place of the held one, whose writes are discarded. The transaction must not have changed the catalog. */
  renew(): TransactionState {
    const { changed } = this.draft;
    this.releaseState();
    this.marks.length = 0;
    const held = this.hold();
    this.draft = { ...this.draft, changed };
    return held;
  }

  /** Updates the memory reservation of the transaction. Without memory for the replay log, the log is dropped. Throws if the rest exceeds the limit. */
  account(): void {
    const { transaction } = this.held ?? {};
    const bytes = transaction === undefined ? 0 : transaction.readBytes + transaction.writeBytes;
    const { retainedBytes } = this.replayLog;
    try {
      this.memory.holdRequest(bytes + retainedBytes);
    } catch (error) {
      if (retainedBytes === 0) throw error;
      this.replayLog.drop();
      this.memory.holdRequest(bytes);
    }
    this.memory.shrink();
  }

  private call<T>(
    work: (requestContext: RequestContext) => Promise<T>,
    given?: RequestContext,
    deadlineMs?: number,
  ): Promise<T> {
    const { signal, principal } = this.facts;
    const facts = {
      deadlineMs,
      ...(signal && { signal: () => signal }),
      ...(principal && { principal }),
    };
    this.begin();
    return this.parts.admission.within(
      given,
      (requestContext) => this.work(requestContext, work),
      facts,
    );
  }

  private async work<T>(
    requestContext: RequestContext,
    work: (requestContext: RequestContext) => Promise<T>,
  ): Promise<T> {
    this.requestContext = requestContext;
    try {
      return await work(requestContext);
    } finally {
      this.lingering = requestContext.budget.lingering ?? this.lingering;
      requestContext.leave();
    }
  }

  /**
   * Undoes the writes since the newest mark after a failure, so that only a mark can be restored. Without marks,
   * releases all held state.
   */
  private async takeBack(): Promise<void> {
    if (this.ending === undefined && this.marks.length > 0) {
      await this.held?.transaction?.undo(this.marks.length - 1);
    }
    if (this.ending === undefined && (this.marks.length === 0 || !this.isAccounted()))
      this.forget();
    this.rest('failed');
  }

  private undone(): void {
    try {
      if (this.ending === undefined) this.account();
    } catch (error) {
      this.forget();
      this.rest('failed');
      throw error;
    }
    this.rest('ready');
  }

  private isAccounted(): boolean {
    try {
      this.account();
      return true;
    } catch {
      return false;
    }
  }

  /** Releases the state. From now on the transaction can only be rolled back. */
  private forget(): void {
    this.marks.length = 0;
    this.releaseState();
  }

  private requireIdle(): void {
    if (this.reason !== undefined) throw this.reason;
    invariant(this.state !== 'over', 'a transaction is used before its end only');
    invariant(this.state !== 'busy', 'a transaction does one call at a time');
  }

  private requireReady(): void {
    this.requireIdle();
    invariant(
      this.state === 'ready',
      'a transaction whose statement failed is undone or rolled back',
    );
  }

  private begin(): void {
    this.state = 'busy';
    this.parts.deadlines.delete(this.idle);
  }

  /** Enters the state between calls. */
  private rest(state: 'ready' | 'failed'): void {
    this.requestContext = undefined;
    if (this.ending !== undefined) {
      this.finish(this.ending);
      return;
    }
    this.state = state;
    const { limits, deadlines, database } = this.parts;
    if (limits.idleMs === 0) return;
    this.idle.deadlineMs = database.world.clock.monotonicMs() + limits.idleMs;
    deadlines.add(this.idle);
  }

  private finish(ending: TransactionEnding): void {
    if (this.state === 'over') return;
    const { deadlines, admission, database } = this.parts;
    this.state = 'over';
    this.ending = ending;
    deadlines.delete(this.idle);
    deadlines.delete(this.whole);
    this.facts.signal?.removeEventListener('abort', this.gone);
    if (!this.isReadOnly) {
      const end =
        ending === 'committed' || ending === 'rolled_back' ? endings[ending] : 'abandoned';
      const ms = database.world.clock.monotonicMs() - this.beganMs;
      admission.meters.transactions[end].add(ms / 1000);
    }
    this.releaseState();
    this.parts.closed(this.id);
    this.over(ending);
  }

  /**
   * Releases the state. If work was ended during a wait inside the store, that wait still reads from the state, so it is
   * released after the wait.
   */
  private releaseState(): void {
    const { held, lingering } = this;
    this.held = undefined;
    this.memory.release();
    if (held === undefined) return;
    if (lingering === undefined) held.view.release();
    else void lingering.then(() => held.view.release());
  }

  private readonly gone = () => this.end('abandoned', new ClientGone());
}

function late(what: string, ms: number): Error {
  const detail = `the transaction ${what} more than ${ms} ms; it was rolled back; nothing was changed`;
  return fail('deadline_exceeded', detail);
}
