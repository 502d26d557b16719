/** The tables whose definition a program depends on: those it reads or writes, and those that their foreign keys lead to or from. */

import { type Catalog, tableById, writeProtocol } from '#catalog';
import { rootsOf, walkPlans } from '../plan/inputs.ts';
import type { StatementPlan } from '../plan/program.ts';

/** Schema ids. */
export function touchedTables(statements: readonly StatementPlan[]): ReadonlySet<number> {
  const touched = new Set<number>();
  for (const statement of statements) {
    if (statement.kind === 'catalog') continue;
    walkPlans(rootsOf(statement.query), (plan) => {
      if (plan.kind === 'scan') touched.add(plan.table.id);
    });
    if (statement.kind !== 'query') addRelatives(statement.catalog, statement.table.id, touched);
  }
  return touched;
}

/** A change of a row is checked against the tables it references, and may be carried on to those that reference it. */
function addRelatives(catalog: Catalog, start: number, touched: Set<number>): void {
  const referring = referrersIn(catalog);
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
    open.push(...(referring.get(id) ?? []));
  }
}

type Referrers = ReadonlyMap<number, readonly number[]>;

/** By the list of tables that they were found in: a program of many mutations asks for each of them. */
const known = new WeakMap<Catalog['tables'], Referrers>();

/** Which tables have a key that leads to a table, all by id. */
function referrersIn({ tables }: Catalog): Referrers {
  const found = known.get(tables);
  if (found !== undefined) return found;
  const referrers = new Map<number, number[]>();
  for (const table of tables) {
    for (const { refTable } of writeProtocol(table).foreignKeys) {
      const referring = referrers.get(refTable) ?? [];
      referrers.set(refTable, referring);
      referring.push(table.id);
    }
  }
  known.set(tables, referrers);
  return referrers;
}
