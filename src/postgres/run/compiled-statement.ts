/** A compiled statement with the plans that were made for it. */

import type { Catalog } from '#catalog';
import type { CachedPlan, KnownProgram, PlanCache, PlanKey, PreparedProgram } from '#engine';
import type { Compiled, Instance, StatementValues } from '#sql';
import { PlanParameters } from './plan-parameters.ts';

/** Maximum number of variants with a plan. A further variant replaces the least recently used one. */
const variantsMax = 8;

/** The cache of the plans, and the visibility class of the principals that use them. */
export interface PlanShelf {
  readonly plans: PlanCache;
  readonly visibilityClass: string;
}

export class CompiledStatement {
  readonly compiled: Compiled;
  /** The catalog for which the statement was compiled. */
  readonly catalog: Catalog;
  private readonly variants = new Map<string, StatementPlan>();

  constructor(compiled: Compiled, catalog: Catalog) {
    this.compiled = compiled;
    this.catalog = catalog;
  }

  /** Returns the plan of an earlier execution with the parameters of this one, if it is valid for them. */
  known(variant: string, values: StatementValues, { plans }: PlanShelf): KnownProgram | undefined {
    const found = this.variants.get(variant);
    if (found === undefined) return undefined;
    const parameters = found.parameters.of(values);
    if (parameters === undefined || found.plan === undefined) return undefined;
    plans.used(found.plan);
    return { program: found.plan.program, parameters };
  }

  /** Caches the plan of an instance. Replaces the plan of the same variant. */
  remember(
    variant: string,
    program: PreparedProgram,
    { places }: Instance,
    { plans, visibilityClass }: PlanShelf,
  ): void {
    this.forget(variant, plans);
    if (!program.isReusable) return;
    const parameters = new PlanParameters(program.plan, places);
    const made = new StatementPlan(visibilityClass, parameters, () =>
      this.variants.delete(variant),
    );
    made.plan = plans.add(made, program);
    if (made.plan === undefined) return;
    this.variants.set(variant, made);
    const [oldest] = this.variants.keys();
    if (this.variants.size > variantsMax && oldest !== undefined) this.forget(oldest, plans);
  }

  private forget(variant: string, plans: PlanCache): void {
    const plan = this.variants.get(variant)?.plan;
    if (plan !== undefined) plans.remove(plan);
  }
}

class StatementPlan implements PlanKey {
  readonly visibilityClass: string;
  readonly parameters: PlanParameters;
  readonly overheadBytes = 512;
  readonly dropped: () => void;
  plan: CachedPlan | undefined;

  constructor(visibilityClass: string, parameters: PlanParameters, dropped: () => void) {
    this.visibilityClass = visibilityClass;
    this.parameters = parameters;
    this.dropped = dropped;
  }

  get retained(): unknown {
    return this.parameters;
  }
}
