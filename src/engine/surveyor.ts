/** Carries out the surveys that plans have asked for: in the background, one key at a time, a bounded number of reads each. */

import type { Scheduler, Timer } from '#base';
import { rowsOfValues, type Surveys } from '#statistics';
import type { Store } from '#storage';

/** From the first wish on; more come with it. */
const delayMs = 50;

export class Surveyor {
  private readonly store: Store;
  private readonly surveys: Surveys;
  private readonly scheduler: Scheduler;
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;

  constructor(store: Store, surveys: Surveys, scheduler: Scheduler) {
    this.store = store;
    this.surveys = surveys;
    this.scheduler = scheduler;
    surveys.wished = () => this.wake();
  }

  /** Resolves when nothing is being surveyed; nothing will be from then on. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.working;
  }

  private wake(): void {
    if (this.isStopped || this.timer !== undefined || this.working !== undefined) return;
    this.timer = this.scheduler.after(delayMs, () => {
      this.timer = undefined;
      this.working = this.work().finally(() => {
        this.working = undefined;
      });
    });
  }

  private async work(): Promise<void> {
    for (let wish = this.surveys.next(); wish !== undefined; wish = this.surveys.next()) {
      if (this.isStopped) return;
      const view = this.store.snapshot();
      try {
        const found = await rowsOfValues(view, this.store, wish.table, wish.index);
        this.surveys.found(wish, found);
      } catch {
        // What cannot be read is told to whoever needs it.
        this.surveys.found(wish, undefined);
      } finally {
        view.release();
      }
      await this.scheduler.yield();
    }
  }
}
