/** When each table last changed, as far as this process knows: what entity tags are made of. */

import { tableById } from '#catalog';
import type { ProgramPlan } from '#planner';

export class TableGenerations {
  /** The newest sequence at open: a table that has not been written since may have changed up to there. */
  private readonly base: number;
  private readonly changedAt = new Map<number, number>();

  constructor(base: number) {
    this.base = base;
  }

  /** Of a table by schema id. */
  of(tableId: number): number {
    return this.changedAt.get(tableId) ?? this.base;
  }

  advance(tableIds: Iterable<number>, sequence: number): void {
    for (const id of tableIds) this.changedAt.set(id, sequence);
  }
}

/** The tables (schema ids) whose rows a program may change: its targets, and what `on_delete` reaches from them. */
export function writtenTables(plan: ProgramPlan): ReadonlySet<number> {
  const written = new Set<number>();
  for (const statement of plan.statements) {
    if (statement.kind === 'query' || statement.kind === 'catalog') continue;
    written.add(statement.table.id);
    if (statement.kind === 'delete') addReferencing(plan, statement.table.id, written);
  }
  return written;
}

function addReferencing(plan: ProgramPlan, tableId: number, written: Set<number>): void {
  const frontier = [tableId];
  for (let target = frontier.pop(); target !== undefined; target = frontier.pop()) {
    for (const table of plan.catalogAfter.tables) {
      const isReached = table.foreignKeys.some(
        (key) =>
          key.refTable === target && (key.onDelete === 'cascade' || key.onDelete === 'set_null'),
      );
      if (!isReached || written.has(table.id)) continue;
      written.add(table.id);
      if (tableById(plan.catalogAfter, table.id) !== undefined) frontier.push(table.id);
    }
  }
}
