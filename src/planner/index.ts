/**
 * The planner: makes a plan from a program, a catalog and statistics. The planner is pure: it uses no storage and no clock, and equal inputs give
 * equal plans.
 *
 * Terms: the bound tree (`bind/bound.ts`) is a query whose names are resolved and whose expressions are typed. A plan (`plan/`) is the executor's input:
 * column indexes, registers and parameters replace names, outer rows and literals.
 *
 * Stages: `bind/` rejects invalid queries and derives the static facts. `rewrite/` pushes predicates towards the tables and finds unneeded work.
 * `lower/` chooses operators and the join order. This stage uses `access/` (access paths of tables), `order/` (avoidable sorts) and `cost/`
 * (estimates from statistics and documented defaults, and the costs of operators). `facts/` determines which parts may be moved: an expression
 * that can raise an error stays at its position in the document.
 *
 * Invariant: options change only the speed, never a result or an error.
 * Start reading at `program/plan-program.ts`, then `bind/query.ts` and `lower/relation.ts`.
 */

export { operandsOf } from './bind/operands.ts';
export { scopesOf } from './bind/program-needs.ts';
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
export { type PolicyTrouble, policyTrouble } from './program/policy-trouble.ts';
