/**
 * The time of one request: its work gives way to others every few milliseconds, and ends at the deadline, when the client has gone, and when the
 * server stops. Whatever the request waits for, it can be ended there; once its commit is with the log nothing ends it any more.
 */

import type { Pending, World } from '#base';
import { fail } from '#failure';
import { passedOver } from '#storage';
import { Deadlines } from './deadlines.ts';

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
  readonly arrivedMs?: number | undefined;
  /** 0: no deadline. */
  readonly timeoutMs: number;
  /**
   * Resolves when work that has used up its slice may go on, with the length of its next slice; absent: in the next turn of the event loop.
   * A wait that the budget's end overtakes is left alone: `onEnd` tells who keeps a place in a line.
   */
  readonly giveWay?: (budget: Budget) => Promise<number>;
  /** Told how long each stretch of work was, when it is over. */
  readonly worked?: (ms: number) => void;
  /** Those whose waits end at their deadlines; absent: of this budget alone. */
  readonly deadlines?: Deadlines;
  /** Told once, when the request has to wait for the first time. */
  readonly waits?: () => void;
  /** Fires when the client goes. Asked for only once the request has to wait: a look at it slows down short requests. */
  readonly signal?: (() => AbortSignal) | undefined;
}

export class Budget {
  readonly arrivedMs: number;
  /** Processor time of the slices that have ended. */
  usedMs = 0;
  /** A wait inside the store that went on when the work was ended: what it reads from must not be let go before. */
  lingering: Promise<unknown> | undefined;
  private readonly world: World;
  private readonly options: BudgetOptions;
  /** By the steady clock; Infinity: none. */
  readonly deadlineMs: number;
  private readonly deadlines: Deadlines;
  private enders: Set<(reason: Error) => void> | undefined;
  private sliceStartedMs: number;
  private sliceEndsMs: number;
  private isRunning = true;
  private work = 0;
  private reason: Error | undefined;
  private isSettled = false;
  private hasWaited = false;
  private signal: AbortSignal | undefined;
  /** The listener of `signal`. */
  private gone: (() => void) | undefined;

  constructor(world: World, options: BudgetOptions) {
    const now = world.clock.monotonicMs();
    const { arrivedMs = now, timeoutMs } = options;
    this.world = world;
    this.options = options;
    this.deadlines = options.deadlines ?? new Deadlines(world);
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

  /** What `pending` gives, unless the work has to end before: then rejects with the reason. For waits inside the work. */
  wait<T>(pending: Promise<T>): Promise<T> {
    // Nothing comes from outside: the slice goes on, or is over.
    if ((pending as Promise<unknown>) === passedOver) return this.passOver(pending);
    if (this.isCommitted) {
      this.rest();
      return pending;
    }
    // A short request that reads a block is over before its client could be missed.
    const isShort = this.world.clock.monotonicMs() - this.arrivedMs < sliceMs;
    return this.race(pending, !isShort, true);
  }

  /** Like `wait`, before the work or between its slices: what it waits for keeps nothing open, and the next slice does not begin yet. */
  until<T>(pending: Promise<T>): Promise<T> {
    return this.race(pending, true, false);
  }

  private async passOver<T>(pending: Promise<T>): Promise<T> {
    await this.pause(lookEvery);
    return pending;
  }

  /** Waits for a slice, and begins it. */
  async begin(slice: Promise<number>): Promise<void> {
    this.resume(await this.until(slice));
  }

  /** The stretch of work is over: what comes next is no work of this request. */
  rest(): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    const ms = this.world.clock.monotonicMs() - this.sliceStartedMs;
    this.usedMs += ms;
    this.options.worked?.(ms);
  }

  /** Ends the work, wherever it waits and at the next look. The first reason counts. */
  end(reason: Error): void {
    if (this.isSettled || this.reason !== undefined) return;
    this.reason = reason;
    this.unwatch();
    const enders = [...(this.enders ?? [])];
    this.enders = undefined;
    for (const tell of enders) tell(reason);
  }

  /** Calls `tell` when the work is ended; returns how to take that back. */
  onEnd(tell: (reason: Error) => void): () => void {
    if (this.reason !== undefined) tell(this.reason);
    else {
      this.enders ??= new Set();
      this.enders.add(tell);
    }
    return () => void this.enders?.delete(tell);
  }

  /** Nothing ends the work from now on: its commit is with the log, or it is over. */
  settle(): void {
    this.isSettled = true;
    this.unwatch();
  }

  /** The commit is with the log: only the log is waited for. What ended before stays ended. */
  private get isCommitted(): boolean {
    return this.isSettled && this.reason === undefined;
  }

  private race<T>(pending: Promise<T>, watchesClient: boolean, isInside: boolean): Promise<T> {
    this.rest();
    if (this.isCommitted) return pending;
    this.watch();
    if (watchesClient) this.watchClient();
    return new Promise((resolve, reject) => {
      const goOn = () => {
        this.enders?.delete(ender);
        // Work that gave way has been told how long it may go on.
        if (isInside && !this.isRunning) this.resume(sliceMs);
      };
      const ender = (reason: Error) => {
        if (isInside) this.lingering = pending.catch(() => {});
        goOn();
        reject(reason);
      };
      this.onEnd(ender);
      pending.then(
        (value) => {
          goOn();
          resolve(value);
        },
        (error) => {
          goOn();
          reject(error);
        },
      );
    });
  }

  private watch(): void {
    if (this.reason !== undefined || this.hasWaited) return;
    this.hasWaited = true;
    this.options.waits?.();
    if (this.deadlineMs !== Number.POSITIVE_INFINITY) this.deadlines.add(this);
  }

  /** Ends the work when the client goes, or has gone. */
  private watchClient(): void {
    if (this.reason !== undefined || this.signal !== undefined) return;
    if (this.options.signal === undefined) return;
    this.signal = this.options.signal();
    if (this.signal.aborted) this.end(new ClientGone());
    else {
      this.gone = () => this.end(new ClientGone());
      this.signal.addEventListener('abort', this.gone);
    }
  }

  /** The deadline has come. */
  late(): void {
    const { timeoutMs } = this.options;
    this.end(fail('deadline_exceeded', `the program ran longer than ${timeoutMs} ms`));
  }

  private checkAt(now: number): void {
    if (!this.isSettled && this.reason === undefined && now > this.deadlineMs) this.late();
    if (this.reason !== undefined) throw this.reason;
  }

  private look(): Pending | undefined {
    const now = this.world.clock.monotonicMs();
    this.checkAt(now);
    if (!this.isRunning) this.resume(sliceMs);
    if (now < this.sliceEndsMs) return undefined;
    this.rest();
    return this.giveWay();
  }

  private async giveWay(): Promise<void> {
    const slice = this.options.giveWay?.(this) ?? this.world.scheduler.yield().then(() => sliceMs);
    await this.begin(slice);
    this.check();
  }

  private resume(lengthMs: number): void {
    this.isRunning = true;
    this.sliceStartedMs = this.world.clock.monotonicMs();
    this.sliceEndsMs = this.sliceStartedMs + lengthMs;
  }

  private unwatch(): void {
    if (this.hasWaited) this.deadlines.delete(this);
    if (this.gone !== undefined) this.signal?.removeEventListener('abort', this.gone);
  }
}
