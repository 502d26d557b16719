/** Turns in which one program may commit and nobody else: who wants one, and who waits for its end, is bounded and can be ended. */

import type { Admission } from './admission/admission.ts';
import type { Ticket } from './admission/ticket.ts';
import type { Database } from './database.ts';

export class Exclusive {
  private readonly database: Database;
  private readonly admission: Admission;
  /** The end of the turns that are taken or wanted now. */
  private ended: Promise<void> | undefined;

  constructor(database: Database, admission: Admission) {
    this.database = database;
    this.admission = admission;
  }

  /** Runs `work` alone. The request gives up its slot: what waits for a turn must not keep those from ending that it waits for. */
  async run<T>(ticket: Ticket, work: () => Promise<T>): Promise<T> {
    ticket.runAlone();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const take = () =>
      this.database.store.exclusive(async () => {
        // Work that was ended while it waited leaves its turn to the next.
        ticket.budget.check();
        begin();
        return work();
      });
    let turn: Promise<T> | undefined;
    await this.admission.behindExclusive.wait(() => {
      turn = take();
      return ticket.budget.until(Promise.race([begun, this.endOf(turn)]));
    });
    return turn as unknown as Promise<T>;
  }

  /** What a writer waits for before it begins: with its commit it would only wait later, on more memory. Undefined when nobody is alone. */
  pass(ticket: Ticket): Promise<void> | undefined {
    const { ended } = this;
    if (ended === undefined || ticket.class === 'alone') return undefined;
    return this.admission.behindExclusive.wait(() => ticket.budget.until(ended));
  }

  /** Resolves when the turn is over, however it went. */
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
