/** Compiles a delete of one row by its key. */

import { inboundOf } from '#catalog';
import type { MutationStatementPlan, StatementPlan } from '#planner';
import { deleteReferenced } from '../mutate/delete.ts';
import { removeRow, rowChange } from '../mutate/row-change.ts';
import { pointTarget, targetOf } from './target.ts';
import type { PointWrite, PointWritten } from './write.ts';

const noRows: PointWritten = { rows: [] };

export function compileDelete(plan: MutationStatementPlan & StatementPlan): PointWrite | undefined {
  const { table, catalog } = plan;
  const target = targetOf(plan);
  if (target === undefined) return undefined;
  const change = rowChange(table);
  // The value stays valid: the plan is not run any more once another table references its table.
  const isReferenced = inboundOf(catalog, table.id).length > 0;
  return (mutationContext) => {
    const found = pointTarget(mutationContext, target);
    if (found === undefined || found === null) return found === null ? noRows : undefined;
    const { key, row } = found;
    const rows = [row];
    if (isReferenced)
      return { rows, rest: deleteReferenced(mutationContext, table, { keys: [key], rows }) };
    return { rows, rest: removeRow(mutationContext, change, found) };
  };
}
