/** Runs the work on data that a catalog statement requires, in the transaction of the program. */

import { type Steps, unreachable } from '#base';
import type { CatalogEffect } from '#catalog';
import type { StatementPlan } from '#planner';
import { MutationContext } from '../mutate/mutation-context.ts';
import type { ProgramRun } from '../program-run.ts';
import type { StatementEnd } from '../query-statement.ts';
import { backfillIndex } from './backfill-index.ts';
import { dropRange } from './drop-range.ts';
import { reclaimColumn, recordTransition } from './records.ts';
import { validateForeignKey } from './validate-foreign-key.ts';

type CatalogPlan = Extract<StatementPlan, { kind: 'catalog' }>;

export function* catalogStatement(plan: CatalogPlan, run: ProgramRun): Steps<StatementEnd> {
  for (const effect of plan.effects) {
    const table = 'table' in effect ? effect.table.name : undefined;
    const mutationContext = new MutationContext(run, plan.catalog, effect.kind, table);
    yield* apply(effect, mutationContext);
  }
  const { name, control } = plan;
  const outcome = { name, affected: 1, operators: [], ...(control && { control }) };
  return { outcome, result: undefined };
}

function* apply(effect: CatalogEffect, mutationContext: MutationContext): Steps<void> {
  switch (effect.kind) {
    case 'backfill_index':
      return yield* backfillIndex(mutationContext, effect.table, effect.index);
    case 'validate_foreign_key':
      return yield* validateForeignKey(mutationContext, effect);
    case 'record_transition':
      return recordTransition(mutationContext, effect.record);
    case 'reclaim_column':
      return reclaimColumn(mutationContext, effect.reclamation);
    case 'drop_range':
      return dropRange(mutationContext, effect.physicalId);
    default:
      return unreachable(effect);
  }
}
