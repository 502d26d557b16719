/**
 * The cache of prepared programs. Each plan has a key, which belongs to the protocol that made it: HTTP uses text templates. The cache evicts plans that
 * were used longest ago; an evicted program is planned again when it comes again.
 */

import type { PreparedProgram } from './prepared-program.ts';
import { retainedSize } from './retained-size.ts';

/** Limit of the memory of all plans and their keys, in bytes. */
export const planCacheBytesMax = 32 << 20;
/** Limit of the memory of one plan and its key, in bytes; a larger plan is not kept. */
const planBytesMax = planCacheBytesMax / 4;

/** The key of a plan. Its owner finds the plan by it. */
export interface PlanKey {
  /** The values that the key keeps in memory, and the bytes that it takes in addition to them. */
  readonly retained: unknown;
  readonly overheadBytes: number;
  /** The cache has removed the plan. `isEvicted`: to make room for other plans. */
  dropped(plan: CachedPlan, isEvicted: boolean): void;
}

export interface CachedPlan {
  readonly key: PlanKey;
  readonly program: PreparedProgram;
  /** Memory of the plan and its key. */
  readonly bytes: number;
  /** Number of the last use; the cache counts additions and uses together. */
  usedAt: number;
}

/** Members of a plan that lead to the catalog, which all plans share: they are not counted. */
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

  /** Removes a plan that its owner does not need any more. */
  remove(plan: CachedPlan): void {
    this.drop(plan, false);
  }

  private drop(plan: CachedPlan, isEvicted: boolean): void {
    if (!this.plans.delete(plan)) return;
    this.bytes -= plan.bytes;
    plan.key.dropped(plan, isEvicted);
  }
}

/** Returns the plan that was used longest ago. There must be at least one. The search is linear, which is cheap compared with planning one program. */
export function oldestOf(plans: Iterable<CachedPlan>): CachedPlan {
  let oldest: CachedPlan | undefined;
  for (const plan of plans) {
    if (oldest === undefined || plan.usedAt < oldest.usedAt) oldest = plan;
  }
  return oldest as CachedPlan;
}
