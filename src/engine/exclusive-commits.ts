/**
 * Grants one program at a time the exclusive right to commit. The number of waiting programs is bounded, and a waiting
 * program can be canceled.
 */

import type { Admission } from './admission/admission.ts';
import type { RequestContext } from './admission/request-context.ts';
import type { Database } from './database.ts';

export class ExclusiveCommits {
  private readonly database: Database;
  private readonly admission: Admission;
  /** Resolves at the end of the exclusive commits that are running or requested. */
  private ended: Promise<void> | undefined;

  constructor(database: Database, admission: Admission) {
    this.database = database;
    this.admission = admission;
  }

  /**
   * Runs `work` with an exclusive commit. The request releases its slot first: while it waits, it must not block the
   * programs that it waits for.
   */
  async run<T>(requestContext: RequestContext, work: () => Promise<T>): Promise<T> {
    requestContext.runAlone();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const take = () =>
      this.database.store.exclusive(async () => {
        // A program that was ended while it waited leaves the exclusive right to the next program.
        requestContext.budget.check();
        begin();
        return work();
      });
    let turn: Promise<T> | undefined;
    await this.admission.behindExclusive.wait(() => {
      turn = take();
      return requestContext.budget.until(Promise.race([begun, this.endOf(turn)]));
    });
    return turn as unknown as Promise<T>;
  }

  /**
   * Returns a promise that a writer awaits before it begins, or `undefined` if there is no exclusive commit. Without
   * this wait, the writer would wait at its commit, with more memory.
   */
  pass(requestContext: RequestContext): Promise<void> | undefined {
    const { ended } = this;
    if (ended === undefined || requestContext.class === 'alone') return undefined;
    return this.admission.behindExclusive.wait(() => requestContext.budget.until(ended));
  }

  /** Resolves when the exclusive commit has ended, successfully or not. */
  private endOf(turn: Promise<unknown>): Promise<void> {
    const over = turn.then(
      () => {},
      () => {},
    );
    this.ended = over;
    void over.then(() => {
      if (this.ended === over) this.ended = undefined;
    });
    return over;
  }
}
