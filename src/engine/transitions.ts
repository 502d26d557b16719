/** Online transitions of the open database: the worker, and the requests of administrators. */

import type { Principal } from '#access';
import { isEnded, subjectOf, type TransitionControl } from '#catalog';
import {
  cancelTransition,
  getTransition,
  type JobTurn,
  listTransitions,
  type TransitionFilter,
  type TransitionHost,
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

  /** Throws `invalid_token`, and cancels nothing, if the API key or token of the principal has ended before the commit. */
  async cancel(name: string, principal: Principal): Promise<TransitionControl> {
    const host = new AdmittedHost(this.database, principal);
    return this.named(await cancelTransition(host, name));
  }

  /**
   * Returns the newest state of a transition when its generation exceeds `generation` (by default the current one),
   * after `waitMs`, when it has ended, or when the engine closes. Throws `invalid_token` if the API key or token of the principal ends meanwhile.
   */
  async getAfter(
    name: string,
    generation: number | undefined,
    waitMs: number,
    principal: Principal,
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

/** The database, in which nothing commits after the API key or token of the principal has ended. */
class AdmittedHost implements TransitionHost {
  private readonly database: Database;
  private readonly principal: Principal;

  constructor(database: Database, principal: Principal) {
    this.database = database;
    this.principal = principal;
  }

  get store(): Database['store'] {
    return this.database.store;
  }

  get world(): Database['world'] {
    return this.database.world;
  }

  get catalog(): Database['catalog'] {
    return this.database.catalog;
  }

  async commit(
    ...[transaction, move, isCurrent = () => true]: Parameters<TransitionHost['commit']>
  ): ReturnType<TransitionHost['commit']> {
    const { database, principal } = this;
    const outcome = await database.commit(
      transaction,
      move,
      () => database.admits(principal) && isCurrent(),
    );
    if (outcome.kind === 'conflict') requireAdmitted(database, { principal });
    return outcome;
  }
}
