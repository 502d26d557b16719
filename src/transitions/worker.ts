/**
 * The worker of a database: gives each live transition and each reclamation one step in turn, for as long as there is work (docs/migrations.md
 * §12). Then it sleeps until the catalog changes.
 */

import type { Timer } from '#base';
import { liveTransitions } from '#catalog';
import { type RunLimits, usualRun } from '#executor';
import { Attempts } from './attempts.ts';
import type { TransitionHost } from './host.ts';
import { usualRowsMin } from './index-run.ts';
import { Pace } from './pace.ts';
import { openReclamations, reclaim } from './reclaim.ts';
import { Stepper } from './stepper.ts';
import type { JobTurn } from './turn.ts';

/** How often jobs that were given up are tried again. */
const idleTickMs = 1000;

interface WorkerOptions {
  /** Rows of one step; absent: what has been measured to be right. */
  readonly stepRows?: number;
  /** With so many rows left, an index is built in runs; absent: likewise. */
  readonly runRowsMin?: number;
  /** Of one such run. */
  readonly runLimits?: RunLimits;
  /** Told whatever goes wrong, with the transition or reclamation that it went wrong with. */
  readonly onTrouble?: (job: string, error: unknown) => void;
  /** Told after each commit of a step. */
  readonly onProgress?: () => void;
  /** Told of each turn that had something to do. */
  readonly onTurn?: ((turn: JobTurn) => void) | undefined;
}

export class TransitionWorker {
  private readonly host: TransitionHost;
  private readonly options: WorkerOptions;
  private readonly attempts: Attempts;
  private readonly stepper: Stepper;
  private readonly pace: Pace;
  /** Physical ids of columns; undefined when the store has to be asked. */
  private reclamations: readonly number[] | undefined;
  /** Set when it has come to an end by a mistake, which ends all work on transitions. */
  failure: unknown;
  private isStopping = false;
  private wasWoken = false;
  private wakeSleeper: (() => void) | undefined;
  private running: Promise<void> | undefined;

  constructor(host: TransitionHost, options: WorkerOptions = {}) {
    this.host = host;
    this.options = options;
    this.attempts = new Attempts(host.world.clock);
    this.pace = new Pace(host.world);
    const runs = {
      rowsMin: options.runRowsMin ?? usualRowsMin,
      limits: options.runLimits ?? usualRun,
      pace: this.pace,
      isStopping: () => this.isStopping,
    };
    this.stepper = new Stepper(host, runs, options.stepRows);
  }

  start(): void {
    this.running ??= this.run().catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** There may be something to do: the catalog has changed. */
  wake(): void {
    this.wasWoken = true;
    this.reclamations = undefined;
    this.attempts.release();
    this.wakeSleeper?.();
  }

  /** Reclamations that are known to be open. */
  get reclaiming(): number {
    return this.reclamations?.length ?? 0;
  }

  /** Jobs that have failed so often that they are left alone until the catalog changes. */
  get quarantined(): number {
    return this.attempts.givenUp;
  }

  /** Resolves when the step that is under way has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wakeSleeper?.();
    await this.running;
  }

  /** One step for each job that is due; whether one of them has got on or has to be tried again. */
  async round(): Promise<boolean> {
    let isBusy = false;
    for (const { transition } of liveTransitions(this.host.catalog)) {
      const { id } = transition;
      if (await this.turn(`tr${id}`, 'transition', () => this.stepper.step(id))) isBusy = true;
    }
    for (const physicalId of await this.openReclamations()) {
      const job = `column ${physicalId}`;
      if (await this.turn(job, 'reclamation', () => this.reclaim(physicalId))) isBusy = true;
    }
    return isBusy;
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      this.wasWoken = false;
      const isBusy = await this.round();
      if (this.host.store.poisoned !== undefined) return;
      if (!isBusy && !this.wasWoken && !this.isStopping) await this.sleep();
    }
  }

  private async turn(
    job: string,
    kind: JobTurn['kind'],
    step: () => Promise<boolean>,
  ): Promise<boolean> {
    if (this.isStopping || !this.attempts.isDue(job)) return false;
    const { clock } = this.host.world;
    const beganMs = clock.monotonicMs();
    const tell = (end: Pick<JobTurn, 'outcome' | 'error'>) =>
      this.options.onTurn?.({ kind, job, beganMs, endedMs: clock.monotonicMs(), ...end });
    this.pace.started();
    try {
      const isBusy = await step();
      this.attempts.succeeded(job);
      if (isBusy) {
        this.options.onProgress?.();
        tell({ outcome: 'advanced' });
      }
      if (isBusy) await this.pace.rest();
      return isBusy;
    } catch (error) {
      this.options.onTrouble?.(job, error);
      this.attempts.failed(job);
      tell({ outcome: 'failed', error });
      return false;
    }
  }

  private async openReclamations(): Promise<readonly number[]> {
    const job = 'reclamations';
    if (this.reclamations === undefined && !this.isStopping && this.attempts.isDue(job)) {
      try {
        this.reclamations = await openReclamations(this.host);
        this.attempts.succeeded(job);
      } catch (error) {
        this.options.onTrouble?.(job, error);
        this.attempts.failed(job);
      }
    }
    return this.reclamations ?? [];
  }

  private async reclaim(physicalId: number): Promise<boolean> {
    const outcome = await reclaim(this.host, physicalId);
    if (outcome !== 'done') return true;
    this.reclamations = this.reclamations?.filter((other) => other !== physicalId);
    return false;
  }

  /** Until it is woken, or until a job that failed may be tried again. */
  private sleep(): Promise<void> {
    const delayMs = this.attempts.nextInMs(idleTickMs);
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const wake = () => {
        timer?.cancel();
        this.wakeSleeper = undefined;
        if (delayMs === idleTickMs) this.attempts.release();
        resolve();
      };
      if (delayMs !== undefined) timer = this.host.world.scheduler.after(delayMs, wake);
      this.wakeSleeper = wake;
    });
  }
}
