/** Online transitions of the open database: the worker, and the requests of administrators. */

import { anyone, type Principal } from '#access';
import { isEnded, subjectOf, type TransitionControl } from '#catalog';
import {
  cancelTransition,
  getTransition,
  type JobTurn,
  listTransitions,
  type TransitionFilter,
  TransitionWorker,
} from '#transitions';
import { requireAdmitted } from './attempt.ts';
import { ChangeSignal } from './change-signal.ts';
import type { Database } from './database.ts';

/** Interval of checks of a waiting request. A reader is notified of catalog changes, but not of progress. */
const checkIntervalMs = 1000;

export class Transitions {
  private readonly database: Database;
  /** The worker, which runs in the background after it was started. */
  readonly worker: TransitionWorker;
  private readonly moves: ChangeSignal;
  private isStopped = false;

  constructor(database: Database, onTurn?: (turn: JobTurn) => void) {
    this.database = database;
    this.moves = new ChangeSignal(database.world.scheduler);
    this.worker = new TransitionWorker(database, {
      onProgress: () => this.moves.notify(),
      onTurn,
    });
    database.catalogListeners.add(() => {
      if (!database.isReadOnly) this.worker.wake();
      this.moves.notify();
    });
  }

  async list(filter: TransitionFilter): Promise<readonly TransitionControl[]> {
    const controls = await listTransitions(this.database.store, filter);
    return controls.map((control) => this.named(control));
  }

  async get(name: string): Promise<TransitionControl> {
    return this.named(await getTransition(this.database.store, name));
  }

  async cancel(name: string): Promise<TransitionControl> {
    return this.named(await cancelTransition(this.database, name));
  }

  /**
   * Returns the newest state of a transition when its generation exceeds `generation` (by default the current one),
   * after `waitMs`, when it has ended, or when the engine closes. Throws `invalid_token` if the API key of the principal ends meanwhile.
   */
  async getAfter(
    name: string,
    generation: number | undefined,
    waitMs: number,
    principal: Principal = anyone,
  ): Promise<TransitionControl> {
    const { clock } = this.database.world;
    const deadlineMs = clock.monotonicMs() + waitMs;
    let known = generation;
    for (;;) {
      const move = this.moves.next();
      const control = await this.getFor(principal, name).catch((error: unknown) => {
        move.forget();
        throw error;
      });
      known ??= control.generation;
      const leftMs = deadlineMs - clock.monotonicMs();
      const isOver = control.generation > known || isEnded(control.state) || leftMs <= 0;
      if (isOver || this.isStopped) {
        move.forget();
        return control;
      }
      await move.within(Math.min(leftMs, checkIntervalMs));
    }
  }

  private async getFor(principal: Principal, name: string): Promise<TransitionControl> {
    requireAdmitted(this.database, { principal });
    return this.get(name);
  }

  private named(control: TransitionControl): TransitionControl {
    return { ...control, ...subjectOf(this.database.catalog, control) };
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.moves.notify();
    await this.worker.stop();
  }
}
