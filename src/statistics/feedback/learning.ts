/** When plans of a family are to be made anew: after the second estimate that was far off, with the rows that were seen since the first. */

import type { LearningState } from './model-state.ts';
import { errorOf, type Observation, saysNothing } from './observation.ts';

/** A miss is an estimate that is so many times too large or too small, */
const missFactor = 10;
/** of at least so many rows: below, every plan is fast. */
const missRowsMin = 1_000;
/** The second one counts. */
const missesMin = 2;
const partsMax = 64;

interface Seen {
  mean: number;
  count: number;
}

export class Learning {
  /** Another number than 0: plans are made with what was seen. */
  correction = 0;
  private stamp = '';
  private misses = 0;
  /** By part: mean of rows since the first miss. */
  private seen = new Map<string, Seen>();

  /** Whether plans of the family are to be made anew, for the first time with this stamp. */
  add(stamp: string, observations: readonly Observation[], isForeign = false): boolean {
    if (stamp !== this.stamp) {
      // Another process has surveys of its own: its misses are told from different facts, and must not undo what was learnt here.
      if (isForeign && this.stamp !== '') return false;
      this.restart(stamp);
    }
    if (this.correction !== 0) return false;
    if (observations.some(isMiss)) this.misses++;
    if (this.misses === 0) return false;
    for (const observation of observations) this.remember(observation);
    return this.misses >= missesMin;
  }

  /** Rows that the parts had, one run with the other. */
  get seenRows(): ReadonlyMap<string, number> {
    return new Map([...this.seen].map(([part, { mean }]) => [part, mean]));
  }

  get state(): LearningState {
    const seen = [...this.seen].map(([part, { mean, count }]) => [part, mean, count] as const);
    return { stamp: this.stamp, misses: this.misses, isCorrected: this.correction !== 0, seen };
  }

  /** Takes what was learned elsewhere, or before a start, and gives its correction that number. */
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
    // Of what was cut short there are so many at least: a small limit says nothing against what a larger one has seen.
    if (isCut && actual <= known.mean) return;
    known.count++;
    known.mean += (actual - known.mean) / known.count;
  }
}

function isMiss(observation: Observation): boolean {
  const { estimated, actual } = observation;
  return Math.max(estimated, actual) >= missRowsMin && errorOf(observation) >= missFactor;
}
