/** The write gate of a transition that finishes. While the gate is closed, the table accepts no writes (docs/migrations.md). */

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

/** Maximum time that one program waits for write gates, over all its attempts. */
const gateWaitMs = 50;

export interface GateDeadline {
  /** Time at which the program stops waiting, or `undefined` before its first write gate. */
  untilMs: number | undefined;
}

export class WriteGates {
  private readonly database: Database;
  private readonly changes: ChangeSignal;

  constructor(database: Database) {
    this.database = database;
    this.changes = new ChangeSignal(database.world.scheduler);
    database.catalogListeners.add(() => this.changes.notify());
  }

  /** Resolves when the catalog has changed, so that the caller can check again. Throws if the program has waited too long. */
  async pass(gated: GatedWrite, deadline: GateDeadline): Promise<void> {
    const now = this.database.world.clock.monotonicMs();
    deadline.untilMs ??= now + gateWaitMs;
    if (now < deadline.untilMs) {
      await this.changes.next().within(deadline.untilMs - now);
      return;
    }
    throw fail(
      'schema_transition_finalizing',
      `table "${gated.table.name}" accepts no writes while a transition finishes; send the program again`,
      { retryAfterSeconds: 1, conflict: conflictOf(gated), mentions: [gated.table] },
    );
  }
}

type Operation = NonNullable<NonNullable<Failure['conflict']>['operation']>;

/** A write of a plan to a table whose write gate is closed. */
interface GatedWrite {
  readonly table: Table;
  readonly operation: Operation;
}

/** Returns the conflict of a failure. Its index is the one that is being built, if the transition builds an index. */
function conflictOf({ table, operation }: GatedWrite): NonNullable<Failure['conflict']> {
  const { gate } = writeProtocol(table);
  const finishing = table.transitions?.find(({ id }) => id === gate);
  const index = finishing?.kind === 'index_build' ? { index: finishing.index.name } : {};
  return { object: 'table', table: table.name, ...index, operation };
}

const operations = { create: 'insert', update: 'update', delete: 'delete' } as const;

/** Returns the first write of the plan that may reach a table with a closed write gate, or `undefined` if there is none. */
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

/** Returns the first table with a closed write gate, among the table that rows are deleted from and the tables that `on_delete` actions reach. */
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
