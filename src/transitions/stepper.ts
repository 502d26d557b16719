/** Runs steps of transitions under its own epochs. A transition that keeps conflicting runs its step with an exclusive commit. */

import { type Catalog, isGated, liveTransition } from '#catalog';
import { DatabaseError } from '#failure';
import { StorageError } from '#storage';
import { failTransition } from './fail.ts';
import type { TransitionHost } from './host.ts';
import { type IndexRuns, indexRun } from './index-run.ts';
import { racesMax } from './race.ts';
import { claimTransition, noteTrouble, type StepOutcome, stepTransition } from './step.ts';

/** Maximum number of rows of one step; the measurement is in docs/notes/2026-11-21-migrations.md. */
const stepRows = 1000;

export class Stepper {
  private readonly host: TransitionHost;
  private readonly runs: IndexRuns;
  private readonly rowsMax: number;
  /** The epoch under which each transition is owned, by its id. */
  private readonly epochs = new Map<number, number>();
  /** Number of consecutive conflicts of each transition, by its id. */
  private readonly races = new Map<number, number>();

  constructor(host: TransitionHost, runs: IndexRuns, rowsMax: number = stepRows) {
    this.host = host;
    this.runs = runs;
    this.rowsMax = rowsMax;
  }

  /**
   * Runs a step; returns whether more work is left now. While the write gate is closed, it continues with further steps, because writers would
   * wait while the worker pauses.
   */
  async step(id: number): Promise<boolean> {
    let isBusy = await this.one(id);
    while (isBusy && isShut(this.host.catalog, id)) isBusy = await this.one(id);
    return isBusy;
  }

  private async one(id: number): Promise<boolean> {
    const lost = this.races.get(id) ?? 0;
    const once = () => this.attempt(id);
    const outcome =
      (await this.run(id)) ?? (await (lost < racesMax ? once() : this.host.store.exclusive(once)));
    if (outcome === 'contended') this.races.set(id, lost + 1);
    else this.races.delete(id);
    if (outcome === 'lost') this.epochs.delete(id);
    return outcome === 'advanced' || outcome === 'contended';
  }

  private async run(id: number): Promise<StepOutcome | undefined> {
    const epoch = this.epochs.get(id);
    if (epoch === undefined) return undefined;
    try {
      return await indexRun(this.host, id, epoch, this.runs);
    } catch (error) {
      return this.troubled(id, error);
    }
  }

  private async attempt(id: number): Promise<StepOutcome> {
    const epoch = this.epochs.get(id);
    if (epoch === undefined) return this.claim(id);
    try {
      return await stepTransition(this.host, id, { epoch, rowsMax: this.rowsMax });
    } catch (error) {
      return this.troubled(id, error);
    }
  }

  private async claim(id: number): Promise<StepOutcome> {
    const { outcome, epoch } = await claimTransition(this.host, id);
    if (outcome === 'advanced') this.epochs.set(id, epoch);
    return outcome;
  }

  /** Handles the error of a step. An error that the data causes would recur, so that the transition fails. */
  private async troubled(id: number, error: unknown): Promise<StepOutcome> {
    if (error instanceof DatabaseError && error.failure.reason === 'invalid') {
      return failTransition(this.host, id, error.failure.detail);
    }
    await noteTrouble(this.host, id, troubleText(error)).catch(() => undefined);
    throw error;
  }
}

/** The message of any other error may contain stored values, so that only the log contains it. */
function troubleText(error: unknown): string {
  const isOurs = error instanceof DatabaseError || error instanceof StorageError;
  return isOurs
    ? error.message
    : 'internal failure: the log of the server has the cause (scheduler.job_failed)';
}

function isShut(catalog: Catalog, id: number): boolean {
  const live = liveTransition(catalog, id);
  return live !== undefined && isGated(live.transition);
}
