/** A client of a store: transactions, and snapshots that it keeps for long. */

import type { Snapshot } from '#storage';
import type { Commit } from './history.ts';
import { anyQuestion, everything } from './questions.ts';
import type { Session } from './session.ts';
import { TransactionRun } from './transaction.ts';

interface Held {
  readonly snapshot: Snapshot;
  readonly commit: Commit;
}

export class Client {
  private readonly session: Session;
  private held: Held | undefined;

  constructor(session: Session) {
    this.session = session;
  }

  /** One after the other until `mayGoOn` says no; what fails needs an excuse. */
  async run(mayGoOn: () => boolean): Promise<void> {
    const { dice, settings } = this.session;
    while (mayGoOn()) {
      await this.session.pause(settings.thinkMs * dice.unit());
      try {
        if (dice.chance(0.8)) await this.transact();
        else await this.look();
      } catch (error) {
        this.session.excused(error);
      }
    }
    this.release();
  }

  private async transact(): Promise<void> {
    const { dice, store } = this.session;
    if (dice.chance(0.04)) {
      await store.exclusive(() => this.transactOnce());
      return;
    }
    await this.transactOnce();
  }

  private async transactOnce(): Promise<void> {
    const { dice, store } = this.session;
    const run = new TransactionRun(this.session);
    try {
      await run.work();
      if (dice.chance(0.08)) return;
      await store.admitWrite();
      const outcome = await run.commit();
      if (outcome.kind === 'unknown') throw outcome.cause;
      if (outcome.kind === 'committed') this.session.capture?.offer();
    } finally {
      run.release();
    }
  }

  /** Takes a snapshot, asks the one it has, or checks all of it and lets it go. */
  private async look(): Promise<void> {
    const { dice, store } = this.session;
    if (this.held === undefined) {
      const snapshot = store.snapshot();
      this.held = { snapshot, commit: this.session.tip };
      await store.durable(snapshot.sequence);
      this.session.told(this.held.commit, 'shown');
      return;
    }
    const { snapshot, commit } = this.held;
    if (dice.chance(0.75)) {
      await this.session.check(snapshot, commit, anyQuestion(this.session.keys, dice));
    } else {
      await this.session.check(snapshot, commit, everything('forward'));
      await this.session.check(snapshot, commit, everything('backward'));
      this.release();
    }
  }

  private release(): void {
    this.held?.snapshot.release();
    this.held = undefined;
  }
}
