/** Turns in which one piece of work has the commit lane for itself; everybody else waits outside. */

import { AsyncLocalStorage } from 'node:async_hooks';

/** Identifies a turn. */
export interface Turn {
  readonly ended: Promise<void>;
}

/** Follows the work through its waits, so that transactions it begins are known as its own. */
const currentTurn = new AsyncLocalStorage<Turn>();

export class ExclusiveTurns {
  private turn: Turn | undefined;
  private readonly busy: () => Promise<void> | undefined;
  /** Those who want a turn wait for each other. */
  private queue: Promise<unknown> = Promise.resolve();

  /** `busy` says what to wait for while a commit from before the turn is under way. */
  constructor(busy: () => Promise<void> | undefined) {
    this.busy = busy;
  }

  /** The turn that the caller runs in, if there is one. */
  get own(): Turn | undefined {
    return this.turn === undefined ? undefined : currentTurn.getStore();
  }

  /** Undefined when a commit of `turn` may go on, else what to wait for before asking again. */
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
      // What the work is about to read must not change under it.
      for (let wait = this.busy(); wait !== undefined; wait = this.busy()) await wait;
      return await currentTurn.run(turn, work);
    } finally {
      this.turn = undefined;
      resolve();
    }
  }
}
