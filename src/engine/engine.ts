/** The engine: one open database, from a checked program to the rows of its answer. */

import { type Catalog, type CatalogChange, type CatalogMode, schemaHash } from '#catalog';
import { DatabaseError, fail } from '#failure';
import type { Query } from '#lir';
import { checkEnvelope, type Program } from '#pir';
import { explainProgram, type Parameter, type ProgramPlan, planProgram, planQuery } from '#planner';
import { StorageError } from '#storage';
import { commitProgram, runProgram } from './attempt.ts';
import type { Database } from './database.ts';
import { entityTagOf } from './entity-tag.ts';
import { Gates, gatedTable, type Patience } from './gate.ts';
import { openDatabase } from './open.ts';
import type { EngineOptions, FormerDatabase } from './options.ts';
import { refuseWrites } from './read-only.ts';
import type { PreparedProgram, ProgramResponse, QueryResponse, ShapedRows } from './response.ts';
import { Schema } from './schema.ts';
import { ExecutionSlots } from './slots.ts';
import { Transitions } from './transitions.ts';

export interface ExecuteOptions {
  readonly showPlan: boolean;
  readonly dryRun: boolean;
}

export interface DatabaseInfo {
  readonly mode: CatalogMode;
  readonly schema_version: number;
  readonly schema_hash: string;
  readonly schema_version_at?: string;
  readonly location: string;
}

/** `unavailable` may pass. `broken`: the storage failed under the database, which must be opened again. `fenced` and `failed` never pass. */
export type StorageHealth =
  /** `damaged` names tables that cannot be read: everything else goes on. */
  | { readonly kind: 'ok'; readonly damaged: readonly string[] }
  | { readonly kind: 'unavailable' | 'broken' | 'fenced' | 'failed'; readonly error: unknown };

/** How often a program is run before a lost race is reported; the last time alone. */
const attemptsMax = 3;

export class Engine {
  private readonly database: Database;
  private readonly slots: ExecutionSlots;
  /** Online transitions as administrators see them. */
  readonly transitions: Transitions;
  /** Migrations to a schema file. */
  readonly schema: Schema;
  private readonly gates: Gates;

  constructor(database: Database, slots: ExecutionSlots) {
    this.database = database;
    this.slots = slots;
    this.gates = new Gates(database);
    this.transitions = new Transitions(database);
    this.schema = new Schema(database);
  }

  get access(): 'read' | 'write' {
    return this.database.isReadOnly ? 'read' : 'write';
  }

  /** What whoever opens the database again must find. */
  get former(): FormerDatabase {
    const { identity, store } = this.database;
    return { identity, sequence: store.durableSequence };
  }

  get mode(): CatalogMode {
    return this.database.mode;
  }

  /** The newest committed catalog; it may be shown only through `durableCatalog`. */
  get catalog(): Catalog {
    return this.database.catalog;
  }

  /** Set once this process may not acknowledge anything any more. */
  get poisoned(): Error | undefined {
    return this.database.store.poisoned;
  }

  async durableCatalog(): Promise<Catalog> {
    const { catalog, store } = this.database;
    await store.durable(this.database.catalogSequence);
    return catalog;
  }

  async info(): Promise<DatabaseInfo> {
    const catalog = await this.durableCatalog();
    const at = catalog.versionAtMs;
    return {
      mode: this.mode,
      schema_version: catalog.version,
      schema_hash: schemaHash(catalog),
      ...(at === undefined ? {} : { schema_version_at: new Date(at).toISOString() }),
      location: this.database.location,
    };
  }

  async execute(program: Program, options: ExecuteOptions): Promise<ProgramResponse> {
    if (this.database.isReadOnly) refuseWrites(program);
    const result = checkEnvelope(program, { mode: this.mode });
    const plan = () => planProgram(program, result, this.catalog, this.database.planning);
    if (!options.dryRun) return this.run(plan, options.showPlan);
    const planned = plan();
    await this.durableCatalog();
    const view = explained(planned, options.showPlan);
    return { result: undefined, statements: [], plan: view, prepared: undefined };
  }

  /** Runs a program again with other parameters; undefined, with nothing done, when its tables are not what they were. */
  async executePrepared(
    prepared: PreparedProgram,
    parameters: readonly Parameter[],
  ): Promise<ProgramResponse | undefined> {
    if (!this.database.isCurrent(prepared)) return undefined;
    const plan = { ...prepared, parameters };
    try {
      return await this.run(() => plan, false);
    } catch (error) {
      const isStale = !this.database.isCurrent(prepared) && isRace(error);
      if (isStale) return undefined;
      throw error;
    }
  }

  /** `wanted` gets the entity tag before anything is executed; when it returns false, nothing is. */
  async query(query: Query, wanted: (entityTag: string) => boolean): Promise<QueryResponse> {
    await this.slots.acquire();
    try {
      const plan = planQuery(query, this.catalog, this.database.planning);
      const entityTag = entityTagOf(this.database, query, plan);
      const { store } = this.database;
      if (!wanted(entityTag)) {
        await store.durable(this.database.newestSequence);
        return { result: undefined, entityTag };
      }
      const work = this.database.work();
      const { result } = await runProgram(this.database, plan, work);
      work.memory.release();
      return { result: result as ShapedRows, entityTag };
    } finally {
      this.slots.release();
    }
  }

  /** Runs one change as a program of its own; `resolve` is asked again when a race was lost. Direct mode only. */
  async changeCatalog(
    resolve: () => CatalogChange,
  ): Promise<{ readonly catalog: Catalog; readonly tableId: number }> {
    let tableId = 0;
    const plan = () => {
      const change = resolve();
      const program = { statements: [{ ...change, name: change.kind }] };
      const planned = planProgram(program, undefined, this.catalog, this.database.planning);
      tableId = change.kind === 'create_table' ? planned.catalogAfter.tableIdMax : change.table_id;
      if (change.kind === 'create_table' && change.table.id !== undefined)
        tableId = change.table.id;
      return planned;
    };
    await this.run(plan, false);
    return { catalog: this.catalog, tableId };
  }

  /** Whether this process still owns the store and can write to it. */
  async checkStorage(): Promise<StorageHealth> {
    try {
      const { store } = this.database;
      const { failure } = this.transitions.worker;
      if (failure !== undefined) return { kind: 'failed', error: failure };
      const error = await store.observe();
      if (error === undefined)
        return { kind: 'ok', damaged: store.statistics().compaction.damaged };
      return { kind: healthOf(error), error };
    } catch (error) {
      return { kind: 'unavailable', error };
    }
  }

  async close(): Promise<void> {
    await this.transitions.stop();
    await this.database.store.close();
  }

  /** Plans and runs until nothing raced; planning again each time, because the catalog may have been what moved. */
  private async run(plan: () => ProgramPlan, showPlan: boolean): Promise<ProgramResponse> {
    const patience = this.gates.patience();
    const once = () => this.attempt(plan, showPlan, patience);
    for (let attempt = 1; attempt < attemptsMax; attempt++) {
      const response = await once();
      if (response !== undefined) return response;
    }
    const response = await this.database.store.exclusive(once);
    if (response !== undefined) return response;
    throw lostRace();
  }

  /** One run; undefined when the commit lost a race. The slot is held while it computes, not while the log syncs. */
  private async attempt(
    plan: () => ProgramPlan,
    showPlan: boolean,
    patience: Patience,
  ): Promise<ProgramResponse | undefined> {
    const wait = this.slots.acquire();
    if (wait !== undefined) await wait;
    let isHeld = true;
    const release = () => {
      if (isHeld) this.slots.release();
      isHeld = false;
    };
    try {
      const planned = plan();
      // One that was planned before it had to wait for its turn may be about tables that have changed since.
      if (!this.database.isCurrent(planned)) return undefined;
      const gated = planned.isReadOnly ? undefined : gatedTable(planned, this.catalog);
      if (gated !== undefined) {
        release();
        await this.gates.pass(gated, patience);
        return await this.attempt(plan, showPlan, patience);
      }
      const view = explained(planned, showPlan);
      const work = this.database.work();
      const running = planned.isReadOnly
        ? runProgram(this.database, planned, work)
        : commitProgram(this.database, planned, work, { handedOver: release });
      const outcome = await running
        .finally(() => work.memory.release())
        .catch((error: unknown) => Promise.reject(withPlan(error, view)));
      if (outcome === undefined) return undefined;
      const prepared = planned.catalogAfter === planned.catalog ? planned : undefined;
      return { ...outcome, plan: view, prepared };
    } finally {
      release();
    }
  }
}

/** What a poisoned store means. */
function healthOf(error: Error): 'broken' | 'fenced' | 'failed' {
  if (!(error instanceof StorageError)) return 'failed';
  switch (error.trouble.kind) {
    case 'fenced':
      return 'fenced';
    case 'io':
    case 'full':
    case 'unavailable':
    case 'unauthorized':
    case 'bucket_missing':
      return 'broken';
    default:
      return 'failed';
  }
}

function explained(plan: ProgramPlan, isWanted: boolean): unknown {
  if (!isWanted) return undefined;
  const view = explainProgram(plan);
  return view.statements.length === 0 ? undefined : view;
}

function lostRace(): Error {
  return fail(
    'serializable_conflict',
    'the program lost a race against another commit; send it again',
  );
}

function isRace(error: unknown): boolean {
  return error instanceof DatabaseError && error.failure.reason === 'serializable_conflict';
}

function withPlan(error: unknown, plan: unknown): unknown {
  if (plan === undefined || !(error instanceof DatabaseError)) return error;
  return new DatabaseError({ ...error.failure, plan }, { cause: error });
}

/** Opens the database, or creates it; refuses another mode than the one it was created with. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const database = await openDatabase(options);
  const engine = new Engine(database, new ExecutionSlots(options.concurrency, options.queueMax));
  // Whoever writes the database carries its transitions on.
  if (!database.isReadOnly && options.worksOnTransitions !== false) {
    engine.transitions.worker.start();
  }
  return engine;
}
