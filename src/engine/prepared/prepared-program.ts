/** A planned program with facts that are computed once. The program can run again with other parameters while its plan is valid. */

import { keyedReads, type Parameter, type ProgramPlan } from '#planner';
import type { ProgramIdentity } from './identity.ts';

/** Up to this number of reads by key, execution is as fast as a lookup of the cached result. */
const fewReads = 16;

export class PreparedProgram {
  readonly plan: ProgramPlan;
  /** The program without its literals, or `undefined` until it is needed. */
  identity: ProgramIdentity | undefined;
  /** Fingerprints of the explained plans by statement, or `undefined` until they are needed. */
  planFingerprints: ReadonlyMap<string, string> | undefined;
  /** Time at which its tables were last compared with those of its planning. */
  lookedAtMs = Number.NEGATIVE_INFINITY;
  private knownShared: boolean | undefined;

  constructor(plan: ProgramPlan) {
    this.plan = plan;
  }

  /** Whether the plan can be used again. A plan that changes the catalog is valid only once. */
  get isReusable(): boolean {
    return this.plan.catalogAfter === this.plan.catalog;
  }

  /** Whether its results should be cached and shared: it is read-only and reads more than a few rows by key. */
  get isShared(): boolean {
    const { plan } = this;
    this.knownShared ??= plan.isReadOnly && this.isReusable && keyedReads(plan) > fewReads;
    return this.knownShared;
  }
}

/** A prepared program with its parameters. */
export interface KnownProgram {
  readonly program: PreparedProgram;
  readonly parameters: readonly Parameter[];
}
