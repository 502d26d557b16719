/** The tables on whose definition a program depends: tables that it reads or writes, and tables that their foreign keys connect. */

import { type Catalog, inboundOf, tableById, writeProtocol } from '#catalog';
import { rootsOf, walkPlans } from '../plan/inputs.ts';
import type { StatementPlan } from '../plan/program.ts';

/** Returns the schema ids of the tables. */
export function touchedTables(statements: readonly StatementPlan[]): ReadonlySet<number> {
  const touched = new Set<number>();
  for (const statement of statements) {
    if (statement.kind === 'catalog') continue;
    const { before, after } = (statement.kind !== 'query' && statement.policies) || {};
    const queries = [statement.query, before, after].filter((query) => query !== undefined);
    walkPlans(queries.flatMap(rootsOf), (plan) => {
      if (plan.kind === 'scan') touched.add(plan.table.id);
    });
    if (statement.kind !== 'query') addRelatives(statement.catalog, statement.table.id, touched);
  }
  return touched;
}

/** Adds the related tables of a mutation. A changed row is checked against the tables that it references. The change may cascade to the tables that reference it. */
function addRelatives(catalog: Catalog, start: number, touched: Set<number>): void {
  const seen = new Set<number>();
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    touched.add(id);
    const table = tableById(catalog, id);
    for (const key of table === undefined ? [] : writeProtocol(table).foreignKeys) {
      touched.add(key.refTable);
    }
    open.push(...inboundOf(catalog, id).map(({ child }) => child.id));
  }
}
