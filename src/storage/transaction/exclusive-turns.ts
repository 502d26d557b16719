/** Exclusive access to the commit queue: one piece of work may commit, and all other commits wait. */

import { AsyncLocalStorage } from 'node:async_hooks';

/** Identifies one period of exclusive access. */
export interface Turn {
  readonly ended: Promise<void>;
}

/** Follows the work across its waits, so that transactions that it begins are recognized as part of it. */
const currentTurn = new AsyncLocalStorage<Turn>();

export class ExclusiveTurns {
  private turn: Turn | undefined;
  private readonly busy: () => Promise<void> | undefined;
  /** Queue of the work that waits for exclusive access. */
  private queue: Promise<unknown> = Promise.resolve();

  /** `busy` returns a wait while a commit from before the exclusive access is in progress. */
  constructor(busy: () => Promise<void> | undefined) {
    this.busy = busy;
  }

  /** The exclusive access that the caller runs in; `undefined` if there is none. */
  get own(): Turn | undefined {
    return this.turn === undefined ? undefined : currentTurn.getStore();
  }

  /** Returns a wait if a commit of `turn` may not proceed yet; the caller must then call again after the wait. Returns `undefined` if the commit may proceed. */
  admission(turn: Turn | undefined): Promise<void> | undefined {
    return this.turn === undefined || this.turn === turn ? undefined : this.turn.ended;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.turn !== undefined && this.own === this.turn) return work();
    const result = this.queue.then(() => this.take(work));
    this.queue = result.catch(() => {});
    return result;
  }

  private async take<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn: Turn = { ended: promise };
    this.turn = turn;
    try {
      // The data that the work is about to read must not change during the work.
      for (let wait = this.busy(); wait !== undefined; wait = this.busy()) await wait;
      return await currentTurn.run(turn, work);
    } finally {
      this.turn = undefined;
      resolve();
    }
  }
}
