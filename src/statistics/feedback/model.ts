/** What is known of one family from its executions: of complete statements, or of one relation inside of them. */

import { Log2Histogram } from '#base';
import { type Lanes, lanesOf } from '../sketch/frequencies.ts';
import { Variants } from '../sketch/variants.ts';
import { Learning } from './learning.ts';
import type { ModelState } from './model-state.ts';
import { type Observation, worstErrorOf } from './observation.ts';
import { Plans } from './plan-runs.ts';
import { type Work, workMembers } from './work.ts';

/** What the executions of a plan have in common. */
export interface Planned {
  /** Of tables and columns that it reads: when these are others, nothing counts that was known. */
  readonly ground: string;
  /** What the plan was made from: with other surveys and sizes misses count anew. */
  readonly stamp: string;
  /** Fingerprint of the plan. */
  readonly plan: string;
  /** Another process ran it. */
  readonly isForeign?: boolean;
}

export interface Execution {
  readonly rows: number;
  /** Undefined where nobody looked at the clock. */
  readonly micros: number | undefined;
  /** A hash of the literals. */
  readonly variant: number;
  readonly observations: readonly Observation[];
  /** Undefined where nobody counted. */
  readonly work: Work | undefined;
}

/** Of the newest time. */
const ewmaShare = 0.1;

export class Model {
  readonly kind: 'statement' | 'relation';
  readonly family: string;
  readonly lanes: Lanes;
  /** The registry has dropped it. */
  isEvicted = false;
  executions = 0;
  /** Those with an estimate. */
  estimated = 0;
  variants = new Variants();
  rows = new Log2Histogram();
  /** Of the worst estimate of each execution, times 100. */
  qError = new Log2Histogram();
  micros = new Log2Histogram();
  /** Mean time, where the newest ones count most. */
  ewmaMicros = 0;
  plans = new Plans();
  work: Readonly<Record<keyof Work, Log2Histogram>> | undefined;
  learning = new Learning();
  ground = '';
  /** All of it comes from the store: nothing was executed here. */
  isRestored = false;

  constructor(kind: Model['kind'], family: string) {
    this.kind = kind;
    this.family = family;
    this.lanes = lanesOf(family);
  }

  /** Executions whose work was counted. */
  get worked(): number {
    return this.work?.gets.total ?? 0;
  }

  add({ ground, stamp, plan, isForeign }: Planned, execution: Execution): void {
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

  /** Without an execution. */
  appeared(rows: number): void {
    this.rows.add(rows);
  }

  /** As plain data; `frequency` is known to the registry. */
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

  /** Takes the place of what was known, except for what was learned. */
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

  private addWork(work: Work): void {
    this.work ??= noWork();
    for (const member of workMembers) this.work[member].add(work[member]);
  }

  /** From empty. */
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

function noWork(): Readonly<Record<keyof Work, Log2Histogram>> {
  return eachMember(() => new Log2Histogram());
}

function eachMember<T>(spreadOf: (member: keyof Work) => T): Readonly<Record<keyof Work, T>> {
  const members = workMembers.map((member) => [member, spreadOf(member)]);
  return Object.fromEntries(members) as Record<keyof Work, T>;
}
