/**
 * The worker of a database: runs one step of each live transition and each reclamation in turn, while there is work (docs/migrations.md §2).
 * Then it sleeps until the catalog changes.
 */

import type { Timer } from '#base';
import { liveTransitions } from '#catalog';
import { type RunLimits, usualRun } from '#executor';
import { Attempts } from './attempts.ts';
import type { TransitionHost } from './host.ts';
import { usualRowsMin } from './index-run.ts';
import { openReclamations, reclaim } from './reclaim.ts';
import { Stepper } from './stepper.ts';
import type { JobTurn } from './turn.ts';
import { WorkerThrottle } from './worker-throttle.ts';

/** Interval at which jobs that were given up are retried. */
const idleTickMs = 1000;

interface WorkerOptions {
  /** Maximum number of rows of one step; absent: a measured default. */
  readonly stepRows?: number;
  /** Minimum number of remaining rows for which an index is built in runs; absent: a measured default. */
  readonly runRowsMin?: number;
  /** Limits of one such run. */
  readonly runLimits?: RunLimits;
  /** Is called with every error, and with the transition or reclamation in which it occurred. */
  readonly onTrouble?: (job: string, error: unknown) => void;
  /** Is called after each commit of a step. */
  readonly onProgress?: () => void;
  /** Is called for each turn that had work. */
  readonly onTurn?: ((turn: JobTurn) => void) | undefined;
}

export class TransitionWorker {
  private readonly host: TransitionHost;
  private readonly options: WorkerOptions;
  private readonly attempts: Attempts;
  private readonly stepper: Stepper;
  private readonly pace: WorkerThrottle;
  /** Physical ids of columns with open reclamations; undefined if they have to be read from the store. */
  private reclamations: readonly number[] | undefined;
  /** The internal error with which the worker has ended; `undefined` while it runs. After such an error, all work on transitions stops. */
  failure: unknown;
  private isStopping = false;
  private wasWoken = false;
  private wakeSleeper: (() => void) | undefined;
  private running: Promise<void> | undefined;

  constructor(host: TransitionHost, options: WorkerOptions = {}) {
    this.host = host;
    this.options = options;
    this.attempts = new Attempts(host.world.clock);
    this.pace = new WorkerThrottle(host.world);
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

  /** Wakes the worker: the catalog has changed, so that there may be work. */
  wake(): void {
    this.wasWoken = true;
    this.reclamations = undefined;
    this.attempts.release();
    this.wakeSleeper?.();
  }

  /** Number of recorded open reclamations. */
  get reclaiming(): number {
    return this.reclamations?.length ?? 0;
  }

  /** Number of jobs that have failed so often that they are left alone until the catalog changes, or the worker has slept for `idleTickMs`. */
  get quarantined(): number {
    return this.attempts.givenUp;
  }

  /** Resolves when the running step has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wakeSleeper?.();
    await this.running;
  }

  /** Runs one step of each due job; returns whether one of them has advanced or has to be retried. */
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

  /** Sleeps until the worker is woken, or until a failed job may be retried. */
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
