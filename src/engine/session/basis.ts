/** The part of the catalog that the plans of one open transaction depend on. */

import type { Catalog } from '#catalog';
import type { ProgramPlan, StatementPlan } from '#planner';
import { isCurrentPlan } from '../prepared/current-plan.ts';

export class Basis {
  private readonly tables = new Set<number>();
  /** One statement for each table from which rows are deleted. */
  private readonly deletes = new Map<number, StatementPlan>();

  add({ tables, statements }: ProgramPlan): void {
    for (const id of tables) this.tables.add(id);
    for (const statement of statements) {
      if (statement.kind === 'delete') this.deletes.set(statement.table.id, statement);
    }
  }

  /** Returns whether plans made for `catalog` are valid for `now`. */
  isCurrent(catalog: Catalog, now: Catalog): boolean {
    const statements = [...this.deletes.values()];
    return isCurrentPlan({ catalog, catalogAfter: catalog, tables: this.tables, statements }, now);
  }
}
