/**
 * The planner: a program, a catalog and statistics in, a plan out. Pure: it knows no storage and no clock, and the same facts give the same plan.
 *
 * Nouns: the bound tree (`bind/bound.ts`) is a query with its names resolved and its expressions typed; a plan (`plan/`) is what the
 * executor runs, with column indexes, registers and parameters in place of names, outer rows and literals.
 * Stages: `bind/` refuses what the language refuses and derives the static facts; `rewrite/` moves predicates towards the tables and says what is not
 * needed; `lower/` chooses operators and the order of joins, with `access/` (paths into tables), `order/` (sorts saved) and `cost/` (estimates from
 * statistics, documented defaults, what each operator costs);
 * `facts/` says what may be moved: what can raise an error stays where the document put it.
 * Invariant: options change speed only, never a result or an error.
 * Start reading at `program/plan-program.ts`, then `bind/query.ts` and `lower/relation.ts`.
 */

export { operandsOf } from './bind/operands.ts';
export { type Explanation, explainProgramSteps } from './explain/explain.ts';
export type { ColumnsUsed } from './facts/columns-used.ts';
export type { PlanOptions } from './lower/planning.ts';
export { keyedReads } from './plan/access-facts.ts';
export type * from './plan/expression.ts';
export { expressionsOf } from './plan/expressions-of.ts';
export { plansBelow, rootsOf, walkPlans } from './plan/inputs.ts';
export { type PlanPart, partsOf } from './plan/parts.ts';
export type * from './plan/program.ts';
export type * from './plan/relation.ts';
export { countAt } from './plan/row-count.ts';
export { shapeOf } from './plan/shape.ts';
export {
  type PlanSetting,
  planProgramSteps,
} from './program/plan-program.ts';
