/**
 * The time budget of one request. The work of the request yields to other requests every few milliseconds. The work ends at the deadline, when
 * the client has disconnected, and when the server stops. The request can be ended during any wait, but not once its commit is in the log.
 */

import type { Pending, World } from '#base';
import { fail } from '#failure';
import { passedOver } from '#storage';
import { Deadlines } from './deadlines.ts';

/** Longest time that work runs before it yields to the event loop. */
export const sliceMs = 5;
/** Rows of work between two readings of the clock. */
const lookEvery = 1024;

/** The error of a request whose client has closed its connection: no client is left to read a response. */
export class ClientGone extends Error {
  constructor() {
    super('the client has gone');
    this.name = 'ClientGone';
  }
}

export interface BudgetOptions {
  /** Time at which the request arrived, by the monotonic clock; absent: now. */
  readonly arrivedMs?: number | undefined;
  /** 0 means no deadline. */
  readonly timeoutMs: number;
  /** The flag or header that sets the deadline. */
  readonly timeoutSource?: string;
  /**
   * Resolves when work that has used up its slice may continue, with the length of its next slice in milliseconds. Without this function, the
   * work continues in the next iteration of the event loop. If the budget ends during this wait, the promise is abandoned; an implementation that
   * queues the request learns of the end through `onEnd`.
   */
  readonly yieldSlice?: (budget: Budget) => Promise<number>;
  /** Is called after each uninterrupted piece of work, with its length in milliseconds. */
  readonly worked?: (ms: number) => void;
  /** The shared deadlines in which this budget registers when it waits; absent: its own. */
  readonly deadlines?: Deadlines;
  /** Is called once, when the request has to wait for the first time. */
  readonly waits?: () => void;
  /**
   * Returns a signal that fires when the client disconnects. The budget calls it only once the request has to wait, because reading the signal
   * slows down short requests.
   */
  readonly signal?: (() => AbortSignal) | undefined;
}

export class Budget {
  readonly arrivedMs: number;
  /** CPU time of the slices that have ended, in milliseconds. */
  usedMs = 0;
  /** A wait inside the store that was still pending when the work was ended. The data that it reads must not be released before it settles. */
  lingering: Promise<unknown> | undefined;
  private readonly world: World;
  private readonly options: BudgetOptions;
  /** Deadline by the monotonic clock; Infinity if there is none. */
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
  /** The listener on `signal`. */
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

  /** The reason why the work has to end; undefined while it may continue. */
  get ended(): Error | undefined {
    return this.reason;
  }

  /** Is called before work on about `rows` rows. Returns a wait if the slice is used up; the caller then calls again for the same work. */
  pause(rows: number): Pending | undefined {
    this.work += rows;
    if (this.work < lookEvery) return undefined;
    this.work = 0;
    return this.look();
  }

  /** Throws if the work must end: after the deadline, or once the request has been ended. */
  check(): void {
    this.checkAt(this.world.clock.monotonicMs());
  }

  /** Resolves as `pending` does, or rejects with the reason if the work has to end before. This method is meant for waits inside the work. */
  wait<T>(pending: Promise<T>): Promise<T> {
    // A cursor has passed over many entries and waits for nothing: the slice continues unless it is used up.
    if ((pending as Promise<unknown>) === passedOver) return this.passOver(pending);
    if (this.isCommitted) {
      this.rest();
      return pending;
    }
    // A short request that reads a block ends too soon for a disconnected client to matter.
    const isShort = this.world.clock.monotonicMs() - this.arrivedMs < sliceMs;
    return this.race(pending, !isShort, true);
  }

  /** Like `wait`, for waits before the work or between its slices. This method keeps nothing open and does not begin the next slice. */
  until<T>(pending: Promise<T>): Promise<T> {
    return this.race(pending, true, false);
  }

  private async passOver<T>(pending: Promise<T>): Promise<T> {
    await this.pause(lookEvery);
    return pending;
  }

  /** Waits for a slice and begins it. */
  async begin(slice: Promise<number>): Promise<void> {
    this.resume(await this.until(slice));
  }

  /** Ends the current piece of work: time that passes from now on is not charged to this request. */
  rest(): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    const ms = this.world.clock.monotonicMs() - this.sliceStartedMs;
    this.usedMs += ms;
    this.options.worked?.(ms);
  }

  /** Ends the work, either in its current wait or at its next check. Only the first reason counts. */
  end(reason: Error): void {
    if (this.isSettled || this.reason !== undefined) return;
    this.reason = reason;
    this.unwatch();
    const enders = [...(this.enders ?? [])];
    this.enders = undefined;
    for (const tell of enders) tell(reason);
  }

  /** Calls `tell` when the work is ended; returns a function that unregisters it. */
  onEnd(tell: (reason: Error) => void): () => void {
    if (this.reason !== undefined) tell(this.reason);
    else {
      this.enders ??= new Set();
      this.enders.add(tell);
    }
    return () => void this.enders?.delete(tell);
  }

  /** Declares that nothing ends the work from now on: the log has its commit, or the request has ended. */
  settle(): void {
    this.isSettled = true;
    this.unwatch();
  }

  /** Whether the log has the commit: then the request waits only for the log. Work that was ended before stays ended. */
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
        // `begin` starts the next slice of work that has yielded, with the granted length.
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

  /** Ends the work when the client disconnects, or has already done so. */
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

  /** Ends the work because its deadline has passed. */
  late(): void {
    const { timeoutMs, timeoutSource = 'its limit' } = this.options;
    const remedy = `process fewer rows per program, build an index with start_index_build, or raise ${timeoutSource}`;
    const detail = `the program ran longer than ${timeoutMs} ms (${timeoutSource}); nothing was changed; ${remedy}`;
    this.end(fail('deadline_exceeded', detail));
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
    return this.yieldSlice();
  }

  private async yieldSlice(): Promise<void> {
    const slice =
      this.options.yieldSlice?.(this) ?? this.world.scheduler.yield().then(() => sliceMs);
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
