/**
 * The worker of a database: takes the live transitions and what is to be reclaimed in turn, a few steps each, for as long as there is work
 * (migration.md §12). It sleeps until the catalog changes.
 */

import type { Timer } from '#base';
import { liveTransitions } from '#catalog';
import { DatabaseError } from '#failure';
import { Attempts } from './attempts.ts';
import { failTransition } from './fail.ts';
import type { TransitionHost } from './host.ts';
import { openReclamations, reclaim } from './reclaim.ts';
import { claimTransition, noteTrouble, type StepOutcome, stepTransition } from './step.ts';

/** Rows of one step. */
const stepRows = 512;
/** Steps of one job before the next has its turn. */
const stepsPerRound = 16;
/** How often jobs that were given up are tried again. */
const idleTickMs = 1000;

export interface WorkerOptions {
  /** Told whatever goes wrong, with the transition or reclamation that it went wrong with. */
  readonly onTrouble?: (job: string, error: unknown) => void;
  /** Told after each commit of a step. */
  readonly onProgress?: () => void;
}

export class TransitionWorker {
  private readonly host: TransitionHost;
  private readonly options: WorkerOptions;
  private readonly attempts: Attempts;
  /** The epochs under which this worker owns transitions. */
  private readonly epochs = new Map<number, number>();
  private isStopping = false;
  private wasWoken = false;
  private wakeSleeper: (() => void) | undefined;
  private running: Promise<void> | undefined;

  constructor(host: TransitionHost, options: WorkerOptions = {}) {
    this.host = host;
    this.options = options;
    this.attempts = new Attempts(host.world.clock);
  }

  start(): void {
    this.running ??= this.run();
  }

  /** There may be something to do: the catalog has changed. */
  wake(): void {
    this.wasWoken = true;
    this.attempts.release();
    this.wakeSleeper?.();
  }

  /** Resolves when the step that is under way has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wakeSleeper?.();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      this.wasWoken = false;
      const isBusy = await this.round();
      if (this.host.store.poisoned !== undefined) return;
      if (isBusy) await this.host.world.scheduler.yield();
      else if (!this.wasWoken && !this.isStopping) await this.sleep();
    }
  }

  /** A turn for each job; whether one of them has got on. */
  private async round(): Promise<boolean> {
    let isBusy = false;
    for (const { transition } of liveTransitions(this.host.catalog)) {
      const job = `tr${transition.id}`;
      if (await this.turn(job, () => this.stepOf(transition.id))) isBusy = true;
    }
    for (const physicalId of await this.reclamations()) {
      const job = `reclamation ${physicalId}`;
      if (await this.turn(job, () => this.reclaimOf(physicalId))) isBusy = true;
    }
    return isBusy;
  }

  private async reclamations(): Promise<readonly number[]> {
    if (this.isStopping) return [];
    try {
      return await openReclamations(this.host);
    } catch (error) {
      this.options.onTrouble?.('reclamations', error);
      return [];
    }
  }

  private async turn(job: string, step: () => Promise<StepOutcome>): Promise<boolean> {
    for (let steps = 0; steps < stepsPerRound; steps++) {
      if (this.isStopping || !this.attempts.isDue(job)) return steps > 0;
      try {
        const outcome = await step();
        if (outcome === 'advanced') this.options.onProgress?.();
        if (outcome === 'idle' || outcome === 'lost') return steps > 0;
        this.attempts.succeeded(job);
        await this.host.world.scheduler.yield();
      } catch (error) {
        this.options.onTrouble?.(job, error);
        this.attempts.failed(job);
        return true;
      }
    }
    return true;
  }

  private async stepOf(id: number): Promise<StepOutcome> {
    const epoch = this.epochs.get(id);
    if (epoch === undefined) {
      const claimed = await claimTransition(this.host, id);
      if (claimed === undefined) return 'contended';
      this.epochs.set(id, claimed);
      return 'advanced';
    }
    try {
      const outcome = await stepTransition(this.host, id, { epoch, rowsMax: stepRows });
      if (outcome === 'lost') this.epochs.delete(id);
      return outcome;
    } catch (error) {
      return this.troubled(id, error);
    }
  }

  /** What the data is to blame for will not be better next time. */
  private async troubled(id: number, error: unknown): Promise<StepOutcome> {
    if (error instanceof DatabaseError && error.failure.reason === 'invalid') {
      return failTransition(this.host, id, error.failure.detail);
    }
    const text = error instanceof Error ? error.message : String(error);
    await noteTrouble(this.host, id, text).catch(() => undefined);
    throw error;
  }

  private async reclaimOf(physicalId: number): Promise<StepOutcome> {
    const outcome = await reclaim(this.host, physicalId);
    return outcome === 'done' ? 'lost' : outcome;
  }

  /** Until it is woken, or until a job that failed may be tried again. */
  private sleep(): Promise<void> {
    const delayMs = this.attempts.nextInMs(idleTickMs);
    const isTick = delayMs === idleTickMs;
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const wake = () => {
        timer?.cancel();
        this.wakeSleeper = undefined;
        if (isTick) this.attempts.release();
        resolve();
      };
      if (delayMs !== undefined) timer = this.host.world.scheduler.after(delayMs, wake);
      this.wakeSleeper = wake;
    });
  }
}
