/** Online transitions of the open database: the worker, and what administrators ask. */

import type { TransitionControl } from '#catalog';
import {
  cancelTransition,
  getTransition,
  listTransitions,
  type TransitionFilter,
  TransitionWorker,
} from '#transitions';
import type { Database } from './database.ts';

export class Transitions {
  private readonly database: Database;
  private readonly worker: TransitionWorker;
  private readonly watchers = new Set<() => void>();
  private isStopped = false;

  constructor(database: Database) {
    this.database = database;
    this.worker = new TransitionWorker(database, { onProgress: () => this.moved() });
    database.catalogListeners.add(() => {
      if (!database.isReadOnly) this.worker.wake();
      this.moved();
    });
    // Whoever writes the database carries them on.
    if (!database.isReadOnly) this.worker.start();
  }

  list(filter: TransitionFilter): Promise<readonly TransitionControl[]> {
    return listTransitions(this.database.store, filter);
  }

  get(name: string): Promise<TransitionControl> {
    return getTransition(this.database.store, name);
  }

  cancel(name: string): Promise<TransitionControl> {
    return cancelTransition(this.database, name);
  }

  /** Its newest state once its generation is above `generation`, or after `waitMs`, or when the engine closes. */
  async getAfter(name: string, generation: number, waitMs: number): Promise<TransitionControl> {
    const { clock } = this.database.world;
    const deadlineMs = clock.monotonicMs() + waitMs;
    for (;;) {
      const moved = this.nextMove();
      const control = await this.get(name);
      const leftMs = deadlineMs - clock.monotonicMs();
      const isOver = control.generation > generation || leftMs <= 0 || this.isStopped;
      if (isOver) {
        moved.forget();
        return control;
      }
      await moved.within(leftMs);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.moved();
    await this.worker.stop();
  }

  private moved(): void {
    for (const watcher of [...this.watchers]) watcher();
  }

  private nextMove(): NextMove {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watcher = () => {
      this.watchers.delete(watcher);
      resolve();
    };
    this.watchers.add(watcher);
    const within = async (ms: number) => {
      const timer = this.database.world.scheduler.after(ms, watcher);
      await promise;
      timer.cancel();
    };
    return { within, forget: watcher };
  }
}

interface NextMove {
  /** Resolves when some transition has moved, or after a time. */
  within(ms: number): Promise<void>;
  forget(): void;
}
