/** The gate of a transition that finishes: for as long as it is shut the table takes no writes (docs/migrations.md). */

import {
  type Catalog,
  type ForeignKeyAction,
  type Table,
  tableById,
  writeProtocol,
} from '#catalog';
import { type Failure, fail } from '#failure';
import type { ProgramPlan } from '#planner';
import { ChangeSignal } from './change-signal.ts';
import type { Database } from './database.ts';

const gatedTables = new WeakMap<Catalog, ReadonlySet<number>>();

/** How long one program waits for gates, all its attempts together. */
const patienceMs = 50;

export interface Patience {
  /** When the program stops waiting; undefined before the first gate. */
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

  /** Resolves when the catalog has changed, so that it is worth another look; throws when the patience is at its end. */
  async pass(gated: GatedWrite, patience: Patience): Promise<void> {
    const now = this.database.world.clock.monotonicMs();
    patience.untilMs ??= now + patienceMs;
    if (now < patience.untilMs) {
      await this.changes.next().within(patience.untilMs - now);
      return;
    }
    throw fail(
      'schema_transition_finalizing',
      `table "${gated.table.name}" takes no writes while a transition finishes; send the program again`,
      { retryAfterSeconds: 1, conflict: conflictOf(gated) },
    );
  }
}

type Operation = NonNullable<NonNullable<Failure['conflict']>['operation']>;

/** What a plan would do to a table that takes no writes now. */
interface GatedWrite {
  readonly table: Table;
  readonly operation: Operation;
}

/** The index is the one that is being finished, if it is one. */
function conflictOf({ table, operation }: GatedWrite): NonNullable<Failure['conflict']> {
  const { gate } = writeProtocol(table);
  const finishing = table.transitions?.find(({ id }) => id === gate);
  const index = finishing?.kind === 'index_build' ? { index: finishing.index.name } : {};
  return { object: 'table', table: table.name, ...index, operation };
}

const operations = { create: 'insert', update: 'update', delete: 'delete' } as const;

/** The first write that the plan may come to although its table takes none now; undefined when there is none. */
export function gatedWrite(plan: ProgramPlan, catalog: Catalog): GatedWrite | undefined {
  const gated = gatedOf(catalog);
  if (gated.size === 0) return undefined;
  for (const statement of plan.statements) {
    if (statement.kind === 'query' || statement.kind === 'catalog') continue;
    const { id } = statement.table;
    const written = { id, operation: operations[statement.kind] };
    const found = statement.kind === 'delete' ? reached(catalog, id, gated) : written;
    const table =
      found !== undefined && gated.has(found.id) ? tableById(catalog, found.id) : undefined;
    if (found !== undefined && table !== undefined) return { table, operation: found.operation };
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

interface Reached {
  readonly id: number;
  readonly operation: Operation;
}

/** The first gated table among the one that rows are deleted from and those that `on_delete` leads to. */
function reached(catalog: Catalog, start: number, gated: ReadonlySet<number>): Reached | undefined {
  const seen = new Set<number>();
  const open: Reached[] = [{ id: start, operation: 'delete' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { id } = next;
    if (gated.has(id)) return next;
    seen.add(id);
    for (const table of catalog.tables) {
      const actions = writeProtocol(table)
        .foreignKeys.filter(({ refTable }) => refTable === id)
        .map(({ onDelete }) => onDelete);
      const operation = operationOf(actions);
      if (operation !== undefined && !seen.has(table.id)) open.push({ id: table.id, operation });
    }
  }
  return undefined;
}

function operationOf(actions: readonly ForeignKeyAction[]): Operation | undefined {
  if (actions.includes('cascade')) return 'delete';
  return actions.includes('set_null') ? 'update' : undefined;
}
