/** What is known of one family from its executions: of complete statements, or of one relation inside of them. */

import { Log2Histogram } from '#base';
import { type Lanes, lanesOf } from '../sketch/frequencies.ts';
import { Variants } from '../sketch/variants.ts';
import { Learning } from './learning.ts';
import { type Observation, worstErrorOf } from './observation.ts';
import { Plans } from './plan-runs.ts';

/** What a statement asked of keys and values. */
export interface Work {
  readonly gets: number;
  readonly puts: number;
  readonly deletes: number;
  readonly scans: number;
  readonly iterated: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

export const workMembers = [
  'gets',
  'puts',
  'deletes',
  'scans',
  'iterated',
  'bytesRead',
  'bytesWritten',
] as const satisfies readonly (keyof Work)[];

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
  private ground = '';

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
  const histograms = workMembers.map((member) => [member, new Log2Histogram()]);
  return Object.fromEntries(histograms) as Record<keyof Work, Log2Histogram>;
}
