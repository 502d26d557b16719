/**
 * The time of one request: its work gives way to others every few milliseconds, and ends at the deadline, when the client has gone, and when the
 * server stops. Whatever the request waits for, it can be ended there; once its commit is with the log nothing ends it any more.
 */

import type { Pending, Timer, World } from '#base';
import { fail } from '#failure';

/** Longest stretch of work between two turns of the event loop. */
export const sliceMs = 5;
/** Rows of work between two looks at the clock. */
const lookEvery = 1024;

/** The client has closed its connection: nobody is there to read an answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client has gone');
    this.name = 'ClientGone';
  }
}

export interface BudgetOptions {
  /** When the request came, by the steady clock; absent: now. */
  readonly arrivedMs?: number;
  /** 0: no deadline. */
  readonly timeoutMs: number;
  /**
   * Resolves when work that has used up its slice may go on, with the length of its next slice; absent: in the next turn of the event loop.
   * A wait that the budget's end overtakes is left alone: `onEnd` tells who keeps a place in a line.
   */
  readonly giveWay?: (budget: Budget) => Promise<number>;
  /** Fires when the client goes. Asked for only once the request has to wait: a look at it slows down short requests. */
  readonly signal?: () => AbortSignal;
}

export class Budget {
  readonly arrivedMs: number;
  /** Processor time of the slices that have ended. */
  usedMs = 0;
  /** A wait inside the store that went on when the work was ended: what it reads from must not be let go before. */
  lingering: Promise<unknown> | undefined;
  private readonly world: World;
  private readonly options: BudgetOptions;
  private readonly deadlineMs: number;
  private readonly enders = new Set<(reason: Error) => void>();
  private sliceStartedMs: number;
  private sliceEndsMs: number;
  private isRunning = true;
  private work = 0;
  private reason: Error | undefined;
  private isSettled = false;
  private timer: Timer | undefined;
  private signal: AbortSignal | undefined;

  constructor(world: World, options: BudgetOptions) {
    const now = world.clock.monotonicMs();
    const { arrivedMs = now, timeoutMs } = options;
    this.world = world;
    this.options = options;
    this.arrivedMs = arrivedMs;
    this.deadlineMs = timeoutMs > 0 ? arrivedMs + timeoutMs : Number.POSITIVE_INFINITY;
    this.sliceStartedMs = now;
    this.sliceEndsMs = now + sliceMs;
  }

  /** Why the work has to end; undefined as long as it may go on. */
  get ended(): Error | undefined {
    return this.reason;
  }

  /** Called before working on some `rows` rows: a wait when the slice is used up, after which the same work is asked for again. */
  pause(rows: number): Pending | undefined {
    this.work += rows;
    if (this.work < lookEvery) return undefined;
    this.work = 0;
    return this.look();
  }

  /** Throws when the work has to end. */
  check(): void {
    this.checkAt(this.world.clock.monotonicMs());
  }

  /** What `pending` gives, unless the work has to end before: then rejects with the reason. */
  async wait<T>(pending: Promise<T>): Promise<T> {
    this.suspend();
    this.watch();
    try {
      return await this.unlessEnded(pending);
    } finally {
      // Work that gave way has been told how long it may go on.
      if (!this.isRunning) this.resume(sliceMs);
    }
  }

  /** Ends the work, wherever it waits and at the next look. The first reason counts. */
  end(reason: Error): void {
    if (this.isSettled || this.reason !== undefined) return;
    this.reason = reason;
    this.unwatch();
    for (const tell of [...this.enders]) tell(reason);
    this.enders.clear();
  }

  /** Calls `tell` when the work is ended; returns how to take that back. */
  onEnd(tell: (reason: Error) => void): () => void {
    if (this.reason !== undefined) tell(this.reason);
    else this.enders.add(tell);
    return () => void this.enders.delete(tell);
  }

  /** Nothing ends the work from now on: its commit is with the log, or it is over. */
  settle(): void {
    this.isSettled = true;
    this.unwatch();
  }

  /** Looks for the client and the deadline while the request waits. */
  watch(): void {
    if (this.isSettled || this.reason !== undefined) return;
    const now = this.world.clock.monotonicMs();
    if (this.timer === undefined && this.deadlineMs < Number.POSITIVE_INFINITY) {
      const leftMs = Math.max(0, this.deadlineMs - now);
      this.timer = this.world.scheduler.after(leftMs, () => this.late());
    }
    if (now - this.arrivedMs >= sliceMs) this.watchClient();
  }

  /** Ends the work when the client goes, or has gone. */
  watchClient(): void {
    if (this.signal !== undefined || this.options.signal === undefined) return;
    this.signal = this.options.signal();
    if (this.signal.aborted) this.gone();
    else this.signal.addEventListener('abort', this.gone);
  }

  private readonly gone = () => this.end(new ClientGone());

  private late(): void {
    const { timeoutMs } = this.options;
    this.end(fail('deadline_exceeded', `the program ran longer than ${timeoutMs} ms`));
  }

  private checkAt(now: number): void {
    if (this.isSettled) return;
    if (this.reason === undefined && now > this.deadlineMs) this.late();
    if (this.reason !== undefined) throw this.reason;
  }

  private look(): Pending | undefined {
    const now = this.world.clock.monotonicMs();
    this.checkAt(now);
    if (now < this.sliceEndsMs) return undefined;
    this.suspend();
    this.watch();
    return this.giveWay();
  }

  private async giveWay(): Promise<void> {
    const { giveWay } = this.options;
    const going =
      giveWay === undefined
        ? this.world.scheduler.yield().then(() => sliceMs)
        : this.unlessEnded(giveWay(this));
    this.resume(await going);
    this.check();
  }

  private async unlessEnded<T>(pending: Promise<T>): Promise<T> {
    if (this.isSettled) return pending;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const forget = this.onEnd((reason) => {
      this.lingering = pending.catch(() => {});
      reject(reason);
    });
    pending.then(resolve, reject);
    try {
      return await promise;
    } finally {
      forget();
    }
  }

  private suspend(): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.usedMs += this.world.clock.monotonicMs() - this.sliceStartedMs;
  }

  private resume(lengthMs: number): void {
    this.isRunning = true;
    this.sliceStartedMs = this.world.clock.monotonicMs();
    this.sliceEndsMs = this.sliceStartedMs + lengthMs;
  }

  private unwatch(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.signal?.removeEventListener('abort', this.gone);
  }
}
