/** The injected world: every module receives time, randomness and scheduling as arguments, so that a simulator can control them. */

/** Time in milliseconds. */
export interface Clock {
  /** Returns the Unix time in whole milliseconds. */
  unixMs(): number;
  /** Returns a monotonic time with a fraction, for durations only. */
  monotonicMs(): number;
}

export interface Random {
  /** Fills `target` with random bytes and returns it. */
  fill(target: Uint8Array): Uint8Array;
  /** Returns a number in [0, 1). */
  unit(): number;
}

export interface Timer {
  cancel(): void;
}

export interface Scheduler {
  /** Resolves in a later iteration of the event loop, after pending I/O has been processed. */
  yield(): Promise<void>;
  /** Runs `task` once at the end of the current event-loop iteration. */
  afterTurn(task: () => void): void;
  /** Runs `task` once after `delayMs`. A timer never keeps the process alive. */
  after(delayMs: number, task: () => void): Timer;
}

export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  /**
   * Collects unreachable objects of every age; their memory is freed soon after. Not set if the runtime does that early enough itself, or
   * if memory does not matter.
   */
  readonly collectGarbage?: () => void;
}

/** A wait without a value: repeat the call that returned it once it has resolved. */
export type Pending = Promise<void>;

export function isPending(value: unknown): value is Pending {
  return value instanceof Promise;
}

/** Resolves after `delayMs`; for 0, without starting a timer. */
export function pause(scheduler: Pick<Scheduler, 'after'>, delayMs: number): Promise<void> {
  if (delayMs === 0) return Promise.resolve();
  return new Promise((resolve) => void scheduler.after(delayMs, resolve));
}
