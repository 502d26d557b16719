/** The execution model of one family: of a complete statement, or of one relation in a statement. */

import { Log2Histogram } from '#base';
import { type Lanes, lanesOf } from '../sketch/frequencies.ts';
import { Variants } from '../sketch/variants.ts';
import { Learning } from './learning.ts';
import type { ModelState } from './model-state.ts';
import { type Observation, worstErrorOf } from './observation.ts';
import { Plans } from './plan-runs.ts';
import { type StatementWork, workMembers } from './statement-work.ts';

/** The properties that all executions of a plan share. */
export interface ExecutedPlan {
  /** Fingerprint of the tables and columns that the plan reads. If it changes, the model starts again from empty. */
  readonly ground: string;
  /** Fingerprint of the facts from which the plan was made. If statistics or table sizes change, misses are counted from zero again. */
  readonly stamp: string;
  /** Fingerprint of the plan. */
  readonly plan: string;
  /** True if another process ran the plan. */
  readonly isForeign?: boolean;
}

export interface ExecutionSample {
  readonly rows: number;
  /** Execution time in microseconds; `undefined` if it was not measured. */
  readonly micros: number | undefined;
  /** Hash of the literals. */
  readonly variant: number;
  readonly observations: readonly Observation[];
  /** Key-value operations of the execution; `undefined` if they were not counted. */
  readonly work: StatementWork | undefined;
}

/** Weight of the newest execution in the mean time. */
const ewmaShare = 0.1;

export class Model {
  readonly kind: 'statement' | 'relation';
  readonly family: string;
  readonly lanes: Lanes;
  /** The registry has evicted the model. */
  isEvicted = false;
  executions = 0;
  /** Number of executions with an estimate. */
  estimated = 0;
  variants = new Variants();
  rows = new Log2Histogram();
  /** The factor by which the worst estimate of each execution was wrong, times 100. */
  qError = new Log2Histogram();
  micros = new Log2Histogram();
  /** Exponentially weighted mean of the execution time. */
  ewmaMicros = 0;
  plans = new Plans();
  work: Readonly<Record<keyof StatementWork, Log2Histogram>> | undefined;
  learning = new Learning();
  ground = '';
  /** All data was restored, and this process has not executed the family. */
  isRestored = false;

  constructor(kind: Model['kind'], family: string) {
    this.kind = kind;
    this.family = family;
    this.lanes = lanesOf(family);
  }

  /** Number of executions whose work was counted. */
  get worked(): number {
    return this.work?.gets.total ?? 0;
  }

  add({ ground, stamp, plan, isForeign }: ExecutedPlan, execution: ExecutionSample): void {
    this.isRestored = false;
    if (ground !== this.ground) this.restart(ground);
    const { rows, micros, variant, observations, work } = execution;
    this.executions++;
    this.variants.add(variant);
    this.rows.add(rows);
    const whole = micros === undefined ? undefined : Math.max(0, Math.round(micros));
    this.plans.add(plan, stamp, rows, whole, isForeign);
    if (whole !== undefined) this.addTime(whole);
    if (observations.length > 0) {
      this.estimated++;
      this.qError.add(Math.round(100 * worstErrorOf(observations)));
    }
    if (work !== undefined) this.addWork(work);
  }

  /** Adds a cached result, which was served without an execution. */
  appeared(rows: number): void {
    this.rows.add(rows);
  }

  /** Returns the model as plain data. The registry supplies `frequency`. */
  state(frequency: number): ModelState {
    const { kind, family, ground, executions, estimated, ewmaMicros, work } = this;
    return {
      ...{ kind, family, ground, frequency, executions, estimated, ewmaMicros },
      variants: this.variants.text,
      rows: this.rows.spread,
      qError: this.qError.spread,
      micros: this.micros.spread,
      plans: this.plans.state,
      work: work && eachMember((member) => work[member].spread),
      learning: this.learning.state,
    };
  }

  /** Replaces all data except the learning. */
  restore({ work, ...state }: ModelState): void {
    this.ground = state.ground;
    this.executions = state.executions;
    this.estimated = state.estimated;
    this.variants = Variants.of(state.variants);
    this.rows = Log2Histogram.of(state.rows);
    this.qError = Log2Histogram.of(state.qError);
    this.micros = Log2Histogram.of(state.micros);
    this.ewmaMicros = state.ewmaMicros;
    this.plans = Plans.of(state.plans);
    this.work = work && eachMember((member) => Log2Histogram.of(work[member]));
    this.isRestored = true;
  }

  private addTime(micros: number): void {
    const { total } = this.micros;
    this.micros.add(micros);
    this.ewmaMicros =
      total === 0 ? micros : this.ewmaMicros + ewmaShare * (micros - this.ewmaMicros);
  }

  private addWork(work: StatementWork): void {
    this.work ??= noWork();
    for (const member of workMembers) this.work[member].add(work[member]);
  }

  /** Empties the model. */
  private restart(ground: string): void {
    this.ground = ground;
    this.executions = 0;
    this.estimated = 0;
    this.variants = new Variants();
    this.rows = new Log2Histogram();
    this.qError = new Log2Histogram();
    this.micros = new Log2Histogram();
    this.ewmaMicros = 0;
    this.plans = new Plans();
    this.work = undefined;
    this.learning.restart('');
  }
}

function noWork(): Readonly<Record<keyof StatementWork, Log2Histogram>> {
  return eachMember(() => new Log2Histogram());
}

function eachMember<T>(
  spreadOf: (member: keyof StatementWork) => T,
): Readonly<Record<keyof StatementWork, T>> {
  const members = workMembers.map((member) => [member, spreadOf(member)]);
  return Object.fromEntries(members) as Record<keyof StatementWork, T>;
}
