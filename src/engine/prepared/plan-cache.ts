/**
 * The cache of prepared programs. Each plan has a key, which belongs to the protocol that made it: HTTP uses text
 * templates. The cache evicts the least recently used plans of a visibility class. An evicted program is planned again at its next request.
 */

import { ClassShares } from '#base';
import type { PreparedProgram } from './prepared-program.ts';
import { retainedSize } from './retained-size.ts';

/** Maximum memory of all plans and their keys, in bytes. */
export const planCacheBytesMax = 32 << 20;
/** Maximum memory of one plan and its key, in bytes. A larger plan is not cached. */
const planBytesMax = planCacheBytesMax / 4;

/** The key of a plan. Its owner uses it to find the plan. */
export interface PlanKey {
  /** The visibility class of the principals that use the plan. */
  readonly visibilityClass: string;
  /** The values that the key retains in memory, and the bytes that it needs in addition to them. */
  readonly retained: unknown;
  readonly overheadBytes: number;
  /** Called after the cache has removed the plan. `isEvicted` means that it was removed to make space for other plans. */
  dropped(plan: CachedPlan, isEvicted: boolean): void;
}

export interface CachedPlan {
  readonly key: PlanKey;
  readonly program: PreparedProgram;
  /** Memory of the plan and its key, in bytes. */
  readonly bytes: number;
  /** Number of the last use. The cache counts additions and uses together. */
  usedAt: number;
}

/** Members of a plan that refer to the catalog. All plans share it, so it is not counted. */
const shared: ReadonlySet<string> = new Set(['catalog', 'catalogAfter', 'table', 'index']);

export class PlanCache {
  /** The plans of each visibility class. */
  private readonly plans = new Map<string, Set<CachedPlan>>();
  private readonly shares = new ClassShares({ bytes: planCacheBytesMax, entries: Infinity });
  private uses = 0;

  /** Adds a plan, and evicts others until it fits. Returns `undefined` and caches nothing if the plan is too large. */
  add(key: PlanKey, program: PreparedProgram): CachedPlan | undefined {
    const { visibilityClass } = key;
    const bytes = retainedSize([key.retained, program], shared) + key.overheadBytes;
    const crowded = bytes > planBytesMax ? undefined : this.shares.room(visibilityClass, bytes);
    if (crowded === undefined) return undefined;
    for (let full = crowded(); full !== undefined; full = crowded()) {
      this.evict(oldestOf(this.plans.get(full) as Set<CachedPlan>));
    }
    const added = { key, program, bytes, usedAt: ++this.uses };
    const plans = this.plans.get(visibilityClass);
    if (plans === undefined) this.plans.set(visibilityClass, new Set([added]));
    else plans.add(added);
    this.shares.added(visibilityClass, bytes);
    return added;
  }

  used(plan: CachedPlan): void {
    plan.usedAt = ++this.uses;
  }

  evict(plan: CachedPlan): void {
    this.drop(plan, true);
  }

  /** Removes a plan that its owner no longer needs. */
  remove(plan: CachedPlan): void {
    this.drop(plan, false);
  }

  private drop(plan: CachedPlan, isEvicted: boolean): void {
    const { visibilityClass } = plan.key;
    const plans = this.plans.get(visibilityClass);
    if (plans?.delete(plan) !== true) return;
    if (plans.size === 0) this.plans.delete(visibilityClass);
    this.shares.removed(visibilityClass, plan.bytes);
    plan.key.dropped(plan, isEvicted);
  }
}

/**
 * Returns the least recently used plan. There must be at least one. The search is linear, which is cheap compared with
 * planning one program.
 */
export function oldestOf(plans: Iterable<CachedPlan>): CachedPlan {
  let oldest: CachedPlan | undefined;
  for (const plan of plans) {
    if (oldest === undefined || plan.usedAt < oldest.usedAt) oldest = plan;
  }
  return oldest as CachedPlan;
}
