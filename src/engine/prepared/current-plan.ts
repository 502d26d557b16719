/** Whether a plan still fits the catalog, which may have moved since it was made. */

import { type Catalog, tableById, writeProtocol } from '#catalog';
import type { ProgramPlan } from '#planner';

/** The parts of a plan that depend on the catalog. */
type PlanBasis = Pick<ProgramPlan, 'catalog' | 'catalogAfter' | 'tables' | 'statements'>;

/**
 * True when every table that the plan depends on is the same record, and nothing refers to what it deletes from that did not before. A plan
 * that changes the catalog needs all of it unmoved.
 */
export function isCurrentPlan(plan: PlanBasis, now: Catalog): boolean {
  if (plan.catalog === now) return true;
  if (plan.catalogAfter !== plan.catalog) return false;
  for (const id of plan.tables) {
    if (tableById(plan.catalog, id) !== tableById(now, id)) return false;
  }
  return !hasNewReferrer(plan, now);
}

/** A key that another table has got since must be looked at by a delete, and its table is none that the plan knows. */
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
