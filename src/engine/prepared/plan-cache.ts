/**
 * Prepared programs, kept for whoever may ask for them again. What they are found by is the business of their keepers: a text template of HTTP, the text
 * of an SQL statement. A cache may forget anything at any time.
 */

import type { PreparedProgram } from './prepared-program.ts';
import { retainedSize } from './retained-size.ts';

/** Of all plans together, with what they are found by. */
export const planCacheBytesMax = 32 << 20;
/** Of one plan. */
const planBytesMax = planCacheBytesMax / 4;

/** What a plan is found by. */
export interface PlanKey {
  /** What is kept in memory for it, and what that takes besides its values. */
  readonly retained: unknown;
  readonly overheadBytes: number;
  /** The plan has gone; `isEvicted`: to make room for others. */
  dropped(plan: CachedPlan, isEvicted: boolean): void;
}

export interface CachedPlan {
  readonly key: PlanKey;
  readonly program: PreparedProgram;
  /** Of the plan and its key. */
  readonly bytes: number;
  /** When it was last used, or else added, as a count of both. */
  usedAt: number;
}

/** What plans and their catalog share. */
const shared: ReadonlySet<string> = new Set(['catalog', 'catalogAfter', 'table', 'index']);

export class PlanCache {
  private readonly plans = new Set<CachedPlan>();
  private bytes = 0;
  private uses = 0;

  /** Undefined, and not kept, where it is too large. */
  add(key: PlanKey, program: PreparedProgram): CachedPlan | undefined {
    const bytes = retainedSize([key.retained, program], shared) + key.overheadBytes;
    if (bytes > planBytesMax) return undefined;
    const added = { key, program, bytes, usedAt: ++this.uses };
    this.plans.add(added);
    this.bytes += bytes;
    return added;
  }

  /** Evicts what was used longest ago, until the rest has room. */
  makeRoom(): void {
    while (this.bytes > planCacheBytesMax) this.evict(oldestOf(this.plans));
  }

  used(plan: CachedPlan): void {
    plan.usedAt = ++this.uses;
  }

  evict(plan: CachedPlan): void {
    this.drop(plan, true);
  }

  /** Its keeper wants it no more. */
  remove(plan: CachedPlan): void {
    this.drop(plan, false);
  }

  private drop(plan: CachedPlan, isEvicted: boolean): void {
    if (!this.plans.delete(plan)) return;
    this.bytes -= plan.bytes;
    plan.key.dropped(plan, isEvicted);
  }
}

/** Of plans, of which there is one at least: a look at all of them is little beside the planning of one. */
export function oldestOf(plans: Iterable<CachedPlan>): CachedPlan {
  let oldest: CachedPlan | undefined;
  for (const plan of plans) {
    if (oldest === undefined || plan.usedAt < oldest.usedAt) oldest = plan;
  }
  return oldest as CachedPlan;
}
