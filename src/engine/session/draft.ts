/** The effects of an open transaction other than its writes. A draft is immutable, so a mark can store the current one. */

import type { Catalog, Table } from '#catalog';
import type { ProgramOutcome } from '#executor';
import { fail } from '#failure';
import { programLimits } from '#pir';
import type { ProgramPlan, StatementPlan } from '#planner';

export interface Draft {
  /** The catalog for which the next statement is planned. */
  readonly catalog: Catalog;
  /** All statements of the plans that have changed the catalog, in order. */
  readonly statements: readonly StatementPlan[];
  /** Number of written rows by table. They are reported to the statistics at the commit. */
  readonly changed: ReadonlyMap<Table, number>;
}

export function emptyDraft(catalog: Catalog): Draft {
  return { catalog, statements: [], changed: new Map() };
}

/** Throws if all programs that change the catalog together would exceed the statement limit of one program. */
export function requireRoom({ statements }: Draft, plan: ProgramPlan): void {
  const { statementsMax } = programLimits;
  const together = statements.length + plan.statements.length;
  if (plan.catalogAfter === plan.catalog || together <= statementsMax) return;
  throw fail(
    'invalid',
    `the programs of a transaction that change the catalog may have at most ${statementsMax} statements together, and this program would make it ${together}; commit before it`,
  );
}

/** Returns the draft after one more plan. */
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
