/** The injected world: time, chance and scheduling reach every room as arguments, so a simulator can own them. */

/** Time in milliseconds. */
export interface Clock {
  /** Unix time, whole milliseconds. */
  unixMs(): number;
  /** A steady clock with a fraction, for durations only. */
  monotonicMs(): number;
}

export interface Random {
  /** Fills `target` with random bytes and returns it. */
  fill(target: Uint8Array): Uint8Array;
  /** A number in [0, 1). */
  unit(): number;
}

export interface Timer {
  cancel(): void;
}

export interface Scheduler {
  /** Resolves in a later turn of the event loop, after pending I/O was looked at. */
  yield(): Promise<void>;
  /** Runs `task` once at the end of the current turn of the event loop. */
  afterTurn(task: () => void): void;
  /** Runs `task` once after `delayMs`. A timer never keeps the process alive. */
  after(delayMs: number, task: () => void): Timer;
}

export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  /** Finds what nobody holds, of whatever age; its memory comes back soon. Absent where the runtime does that early enough by itself, or memory does not matter. */
  readonly collectGarbage?: () => void;
}

/** A wait that carries no value: ask the same question again once it has resolved. */
export type Pending = Promise<void>;

export function isPending(value: unknown): value is Pending {
  return value instanceof Promise;
}

/** Resolves after `delayMs`; 0 does not wait at all. */
export function pause(scheduler: Pick<Scheduler, 'after'>, delayMs: number): Promise<void> {
  if (delayMs === 0) return Promise.resolve();
  return new Promise((resolve) => void scheduler.after(delayMs, resolve));
}
