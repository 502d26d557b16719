/** The gate of a transition that finishes: for as long as it is shut the table takes no writes (docs/migrations.md). */

import { type Catalog, type Table, tableById, writeProtocol } from '#catalog';
import { fail } from '#failure';
import type { ProgramPlan } from '#planner';
import { ChangeSignal } from './change-signal.ts';
import type { Database } from './database.ts';

const gatedTables = new WeakMap<Catalog, ReadonlySet<number>>();

/** How long one program waits for gates, all its attempts together. */
const patienceMs = 50;

export interface Patience {
  /** When it ends; undefined before the first gate. */
  untilMs: number | undefined;
}

export class Gates {
  private readonly database: Database;
  private readonly changes: ChangeSignal;

  constructor(database: Database) {
    this.database = database;
    this.changes = new ChangeSignal(database.world.scheduler);
    database.catalogListeners.add(() => this.changes.notify());
  }

  patience(): Patience {
    return { untilMs: undefined };
  }

  /** Resolves when the catalog has changed, so that it is worth another look; throws when the patience is at its end. */
  async pass(table: Table, patience: Patience): Promise<void> {
    const now = this.database.world.clock.monotonicMs();
    patience.untilMs ??= now + patienceMs;
    if (now < patience.untilMs) {
      await this.changes.next().within(patience.untilMs - now);
      return;
    }
    throw fail(
      'schema_transition_finalizing',
      `table "${table.name}" takes no writes while a transition finishes; send the program again`,
      { retryAfterSeconds: 1, conflict: { object: 'table', table: table.name } },
    );
  }
}

/** A table that the plan may write to although it takes no writes now; undefined when there is none. */
export function gatedTable(plan: ProgramPlan, catalog: Catalog): Table | undefined {
  const gated = gatedOf(catalog);
  if (gated.size === 0) return undefined;
  for (const statement of plan.statements) {
    if (statement.kind === 'query' || statement.kind === 'catalog') continue;
    const { id } = statement.table;
    const found =
      statement.kind === 'delete' ? reached(catalog, id, gated) : gated.has(id) ? id : undefined;
    if (found !== undefined) return tableById(catalog, found);
  }
  return undefined;
}

function gatedOf(catalog: Catalog): ReadonlySet<number> {
  let gated = gatedTables.get(catalog);
  if (gated === undefined) {
    const shut = catalog.tables.filter((table) => writeProtocol(table).gate !== undefined);
    gated = new Set(shut.map(({ id }) => id));
    gatedTables.set(catalog, gated);
  }
  return gated;
}

/** The first gated table among the one that rows are deleted from and those that `on_delete` leads to. */
function reached(catalog: Catalog, start: number, gated: ReadonlySet<number>): number | undefined {
  const seen = new Set<number>();
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (gated.has(id)) return id;
    seen.add(id);
    for (const table of catalog.tables) {
      const follows = writeProtocol(table).foreignKeys.some(
        ({ refTable, onDelete }) =>
          refTable === id && (onDelete === 'cascade' || onDelete === 'set_null'),
      );
      if (follows && !seen.has(table.id)) open.push(table.id);
    }
  }
  return undefined;
}
