/** What is known of one family of statements from its executions. */

import { Log2Histogram } from '../sketch/log2-histogram.ts';

/** One part of a plan as it ran. */
export interface Observation {
  /** Which relation of the query it is, whatever the plan. */
  readonly part: string;
  readonly estimated: number;
  readonly actual: number;
  /** Something above it may not have wanted all of its rows, so fewer than estimated say nothing. */
  readonly isCut: boolean;
}

/** One execution of a statement. */
export interface Execution {
  /** What the plan was made from: with other surveys and sizes misses count anew. */
  readonly stamp: string;
  /** Fingerprint of the plan. */
  readonly plan: string;
  readonly rows: number;
  readonly micros: number;
  readonly observations: readonly Observation[];
}

/** A miss is an estimate that is so many times too large or too small, */
const missFactor = 10;
/** of at least so many rows: below, every plan is fast. */
const missRowsMin = 1_000;
/** The second one counts. */
const missesMin = 2;
const plansMax = 8;
const partsMax = 64;

export class Model {
  readonly family: string;
  /** Halved as time passes. */
  frequency = 0;
  executions = 0;
  readonly rows = new Log2Histogram();
  /** Of the worst estimate of each execution, times 100. */
  readonly qError = new Log2Histogram();
  readonly micros = new Log2Histogram();
  /** Executions by plan. */
  readonly plans = new Map<string, number>();
  /** Another number than 0: plans are made with what was seen. */
  correction = 0;
  private stamp = '';
  private misses = 0;
  /** By part: mean of rows since the first miss. */
  private readonly seen = new Map<string, { mean: number; count: number }>();

  constructor(family: string) {
    this.family = family;
  }

  /** Whether plans of the family are to be made anew, for the first time with this stamp. */
  add(execution: Execution): boolean {
    const { stamp, rows, micros, observations } = execution;
    this.frequency++;
    this.executions++;
    this.rows.add(rows);
    this.micros.add(Math.round(micros));
    this.countPlan(execution.plan);
    this.qError.add(Math.round(100 * worstOf(observations)));
    if (stamp !== this.stamp) this.restart(stamp);
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

  private restart(stamp: string): void {
    this.stamp = stamp;
    this.misses = 0;
    this.correction = 0;
    this.seen.clear();
  }

  private remember({ part, actual, estimated, isCut }: Observation): void {
    // Of what was cut short nothing is known but that there were so many.
    if (isCut && actual < estimated) return;
    const known = this.seen.get(part);
    if (known === undefined && this.seen.size >= partsMax) return;
    const count = (known?.count ?? 0) + 1;
    const before = known?.mean ?? 0;
    this.seen.set(part, { mean: before + (actual - before) / count, count });
  }

  private countPlan(plan: string): void {
    if (!this.plans.has(plan) && this.plans.size >= plansMax) {
      const [least] = [...this.plans].sort((a, b) => a[1] - b[1]);
      if (least !== undefined) this.plans.delete(least[0]);
    }
    this.plans.set(plan, (this.plans.get(plan) ?? 0) + 1);
  }
}

function isMiss(observation: Observation): boolean {
  const { estimated, actual } = observation;
  return Math.max(estimated, actual) >= missRowsMin && qErrorOf(observation) >= missFactor;
}

/** How many times too large or too small; 1 where nothing can be said. */
function qErrorOf({ estimated, actual, isCut }: Observation): number {
  if (isCut && actual < estimated) return 1;
  const [a, b] = [Math.max(1, estimated), Math.max(1, actual)];
  return Math.max(a, b) / Math.min(a, b);
}

function worstOf(observations: readonly Observation[]): number {
  return observations.reduce((worst, it) => Math.max(worst, qErrorOf(it)), 1);
}
