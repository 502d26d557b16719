/** Checks whether a plan is still valid for the catalog, which may have changed since the plan was made. */

import { type Catalog, tableById, writeProtocol } from '#catalog';
import type { ProgramPlan } from '#planner';

/** The parts of a plan that depend on the catalog. */
type PlanBasis = Pick<ProgramPlan, 'catalog' | 'catalogAfter' | 'tables' | 'statements'>;

/**
 * Returns true if the policies are the same, each table of the plan has the same record, and no new foreign key refers to a table from which the
 * plan deletes rows. A plan that changes the catalog requires that the catalog is unchanged.
 */
export function isCurrentPlan(plan: PlanBasis, now: Catalog): boolean {
  if (plan.catalog === now) return true;
  if (plan.catalogAfter !== plan.catalog) return false;
  if (plan.catalog.policies !== now.policies) return false;
  for (const id of plan.tables) {
    if (tableById(plan.catalog, id) !== tableById(now, id)) return false;
  }
  return !hasNewReferrer(plan, now);
}

/**
 * Returns whether a foreign key that was created after the plan refers to a table from which the plan deletes rows. The
 * delete would have to check the table of this key, which is not one of the tables of the plan.
 */
function hasNewReferrer(plan: PlanBasis, now: Catalog): boolean {
  const open = plan.statements.flatMap((it) => (it.kind === 'delete' ? [it.table.id] : []));
  const seen = new Set<number>();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    for (const table of now.tables) {
      if (!writeProtocol(table).foreignKeys.some((key) => key.refTable === id)) continue;
      if (!plan.tables.has(table.id)) return true;
      open.push(table.id);
    }
  }
  return false;
}
