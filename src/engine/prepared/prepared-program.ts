/** A program as it was planned, with all that is found out about it once: it runs again with other parameters for as long as its plan holds. */

import { keyedReads, type Parameter, type ProgramPlan } from '#planner';
import type { ProgramIdentity } from './identity.ts';

/** Up to so many reads by key are as fast as remembering what they gave. */
const fewReads = 16;

export class PreparedProgram {
  readonly plan: ProgramPlan;
  /** What the program is without its literals; undefined until somebody asks. */
  identity: ProgramIdentity | undefined;
  /** By statement, fingerprints of the plans as people see them; undefined until somebody asks. */
  planFingerprints: ReadonlyMap<string, string> | undefined;
  /** When its tables were last compared with those that it was planned for. */
  lookedAtMs = Number.NEGATIVE_INFINITY;
  private knownShared: boolean | undefined;

  constructor(plan: ProgramPlan) {
    this.plan = plan;
  }

  /** A plan that changes the catalog holds once. */
  get isReusable(): boolean {
    return this.plan.catalogAfter === this.plan.catalog;
  }

  /** Whether its answers are worth keeping, and sharing: it reads only, and more than a few rows by key. */
  get isShared(): boolean {
    const { plan } = this;
    this.knownShared ??= plan.isReadOnly && this.isReusable && keyedReads(plan) > fewReads;
    return this.knownShared;
  }
}

/** A prepared program, and what it is to run with. */
export interface KnownProgram {
  readonly program: PreparedProgram;
  readonly parameters: readonly Parameter[];
}
