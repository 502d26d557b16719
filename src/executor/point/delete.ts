/** delete of one row by its key. */

import { inboundOf } from '#catalog';
import { indexLayout } from '#layout';
import type { MutationStatementPlan, StatementPlan } from '#planner';
import { runWaves } from '../mutate/on-delete/waves.ts';
import { findTarget, targetOf } from './target.ts';
import type { PointWrite, PointWritten } from './write.ts';

const noRows: PointWritten = { rows: [] };

export function compileDelete(plan: MutationStatementPlan & StatementPlan): PointWrite | undefined {
  const { table, catalog } = plan;
  const target = targetOf(plan);
  if (target === undefined) return undefined;
  const indexes = table.indexes.map((index) => indexLayout(table, index));
  // A plan is not run any more when something has come to reference its table.
  const isReferenced = inboundOf(catalog, table.id).length > 0;
  return (writing) => {
    const found = findTarget(writing, target);
    if (found === undefined || found === null) return found === null ? noRows : undefined;
    const { key, before } = found;
    const rows = [before];
    if (isReferenced) return { rows, rest: runWaves(writing, table, { keys: [key], rows }) };
    writing.delete(key);
    for (const layout of indexes) writing.delete(layout.entry(before, key).key);
    writing.account();
    return { rows };
  };
}
