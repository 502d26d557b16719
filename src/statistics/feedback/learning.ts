/** Decides when the plans of a family must be corrected: after the second estimate that was far off. The correction uses the rows that were measured since the first one. */

import type { LearningState } from './model-state.ts';
import { errorOf, type Observation, saysNothing } from './observation.ts';

/** A miss is an estimate that is too large or too small by at least this factor. */
const missFactor = 10;
/** An estimate counts as a miss only if the estimated or the actual row count is at least this. Every plan is fast below it. */
const missRowsMin = 1_000;
/** Number of misses after which plans are corrected. */
const missesMin = 2;
const partsMax = 64;

interface Seen {
  mean: number;
  count: number;
}

export class Learning {
  /** Number of the correction; 0 if plans are not corrected. */
  correction = 0;
  private stamp = '';
  private misses = 0;
  /** Mean row count of each part since the first miss. */
  private seen = new Map<string, Seen>();

  /** Folds in an execution. Returns true if the plans of the family must now be corrected for the first time with this stamp. */
  add(stamp: string, observations: readonly Observation[], isForeign = false): boolean {
    if (stamp !== this.stamp) {
      // Another process has its own table statistics. Its misses depend on other facts, so they must not undo what was learned here.
      if (isForeign && this.stamp !== '') return false;
      this.restart(stamp);
    }
    if (this.correction !== 0) return false;
    if (observations.some(isMiss)) this.misses++;
    if (this.misses === 0) return false;
    for (const observation of observations) this.remember(observation);
    return this.misses >= missesMin;
  }

  /** Mean row count of each part. */
  get seenRows(): ReadonlyMap<string, number> {
    return new Map([...this.seen].map(([part, { mean }]) => [part, mean]));
  }

  get state(): LearningState {
    const seen = [...this.seen].map(([part, { mean, count }]) => [part, mean, count] as const);
    return { stamp: this.stamp, misses: this.misses, isCorrected: this.correction !== 0, seen };
  }

  /** Restores the learning of another process or of an earlier start. `correction` is the number of its correction, if it has one. */
  restore({ stamp, misses, isCorrected, seen }: LearningState, correction: number): void {
    this.stamp = stamp;
    this.misses = misses;
    this.correction = isCorrected ? correction : 0;
    this.seen = new Map(seen.map(([part, mean, count]) => [part, { mean, count }]));
  }

  restart(stamp: string): void {
    this.stamp = stamp;
    this.misses = 0;
    this.correction = 0;
    if (this.seen.size > 0) this.seen = new Map();
  }

  private remember(observation: Observation): void {
    if (saysNothing(observation)) return;
    const { part, actual, isCut } = observation;
    const known = this.seen.get(part);
    if (known === undefined) {
      if (this.seen.size < partsMax) this.seen.set(part, { mean: actual, count: 1 });
      return;
    }
    // The row count of a part that was cut short is a lower bound. If it is below the mean, it contains no information.
    if (isCut && actual <= known.mean) return;
    known.count++;
    known.mean += (actual - known.mean) / known.count;
  }
}

function isMiss(observation: Observation): boolean {
  const { estimated, actual } = observation;
  return Math.max(estimated, actual) >= missRowsMin && errorOf(observation) >= missFactor;
}
