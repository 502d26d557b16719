/** The effects of an open transaction beside its writes. A draft never changes: a mark keeps the one of its moment. */

import type { Catalog, Table } from '#catalog';
import type { ProgramOutcome } from '#executor';
import { fail } from '#failure';
import { programLimits } from '#pir';
import type { ProgramPlan, StatementPlan } from '#planner';

export interface Draft {
  /** The catalog that the next statement is planned for. */
  readonly catalog: Catalog;
  /** All statements of the plans that have changed the catalog, in order. */
  readonly statements: readonly StatementPlan[];
  /** Rows written, by table: statistics are told of them at the commit. */
  readonly changed: ReadonlyMap<Table, number>;
}

export function emptyDraft(catalog: Catalog): Draft {
  return { catalog, statements: [], changed: new Map() };
}

/** Throws if the programs that change the catalog would have more statements together than one program may have. */
export function requireRoom({ statements }: Draft, plan: ProgramPlan): void {
  const { statementsMax } = programLimits;
  const together = statements.length + plan.statements.length;
  if (plan.catalogAfter === plan.catalog || together <= statementsMax) return;
  throw fail(
    'invalid',
    `a transaction changes the catalog by programs of at most ${statementsMax} statements together, and this one would make it ${together}: commit before it`,
  );
}

/** The draft after one more plan. */
export function extended(draft: Draft, plan: ProgramPlan, outcome: ProgramOutcome): Draft {
  const { catalog, statements, changed } = draft;
  const isChange = plan.catalogAfter !== plan.catalog;
  return {
    catalog: isChange ? plan.catalogAfter : catalog,
    statements: isChange ? [...statements, ...plan.statements] : statements,
    changed: plan.isReadOnly ? changed : withRows(changed, plan, outcome),
  };
}

function withRows(
  changed: ReadonlyMap<Table, number>,
  plan: ProgramPlan,
  outcome: ProgramOutcome,
): ReadonlyMap<Table, number> {
  const sums = new Map(changed);
  for (const [i, statement] of plan.statements.entries()) {
    if (statement.kind === 'query' || statement.kind === 'catalog') continue;
    const rows = outcome.statements[i]?.affected ?? 0;
    sums.set(statement.table, (sums.get(statement.table) ?? 0) + rows);
  }
  return sums;
}
