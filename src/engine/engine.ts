/** The engine: one open database, from a checked program to the rows of its result. */

import type { Principal } from '#access';
import { invariant, runSteps } from '#base';
import { type Catalog, type CatalogChange, type CatalogMode, schemaHash } from '#catalog';
import { ProgramTrace } from '#executor';
import { fail } from '#failure';
import { type Explanation, explainProgramSteps, type ProgramPlan } from '#planner';
import {
  type Archive,
  Corpus,
  CorpusCourier,
  type Erased,
  type Told,
  type ToldProgram,
} from '#statistics';
import type { StoreStatistics } from '#storage';
import type { Admission } from './admission/admission.ts';
import type { RequestContext, RequestFacts } from './admission/request-context.ts';
import type { AdmissionStatistics } from './admission/statistics.ts';
import { refuseOvertaken, requireAdmitted } from './attempt.ts';
import type { Database } from './database.ts';
import { entityTagOf } from './entity-tag.ts';
import { Execution } from './execution.ts';
import { Keys } from './keys/keys.ts';
import type { EngineMeters } from './meters.ts';
import type { EngineOptions, FormerDatabase } from './options.ts';
import { PlanCache } from './prepared/plan-cache.ts';
import type { PreparedProgram } from './prepared/prepared-program.ts';
import { Validity } from './prepared/validity.ts';
import { type ReadState, readStateOf } from './read-state.ts';
import { foldRelayed } from './relayed.ts';
import type { ProgramRequest, ProgramResponse } from './response.ts';
import { Schema } from './schema.ts';
import type { BeginFacts, EngineTransaction } from './session/engine-transaction.ts';
import { type OpenTransactionStatistics, OpenTransactions } from './session/open-transactions.ts';
import { type RelayReport, statisticsText } from './statistics-report.ts';
import { healthOf, type StorageHealth } from './storage-health.ts';
import { Surveyor } from './surveyor.ts';
import { Transitions } from './transitions.ts';

interface DatabaseInfo {
  /** A random ID, drawn when the database was created. The ID distinguishes databases, regardless of their schemas. */
  readonly database_id: string;
  readonly mode: CatalogMode;
  readonly schema_version: number;
  readonly schema_hash: string;
  readonly schema_version_at?: string;
  readonly location: string;
}

/** Time for which the keys of a state are valid on a reader that cannot look for a newer one. */
const keysValidMs = 60_000;

interface EngineParts {
  readonly onJob?: EngineOptions['onJob'];
  readonly corpus?: Corpus | CorpusCourier | undefined;
  readonly ownedCorpus?: Corpus | undefined;
  readonly archive?: Archive | undefined;
  readonly attemptsMax?: number | undefined;
  readonly openTransactions?: EngineOptions['openTransactions'];
}

export class Engine {
  private readonly database: Database;
  private readonly execution: Execution;
  /** The cache of prepared programs. */
  readonly plans = new PlanCache();
  private readonly admission: Admission;
  private readonly validity: Validity;
  private readonly surveyor: Surveyor | undefined;
  private readonly archive: Archive | undefined;
  /** Stores executed programs, or collects them on a reader for the writer. `undefined` if programs are not recorded. */
  readonly corpus: Corpus | CorpusCourier | undefined;
  private readonly ownedCorpus: Corpus | undefined;
  private readonly open: OpenTransactions;
  /** Online transitions, as administrators see them. */
  readonly transitions: Transitions;
  /** Migrations to a schema file. */
  readonly schema: Schema;
  readonly keys: Keys;

  constructor(
    database: Database,
    admission: Admission,
    { onJob, corpus, ownedCorpus, archive, attemptsMax, openTransactions }: EngineParts = {},
  ) {
    this.database = database;
    this.corpus = corpus;
    this.ownedCorpus = ownedCorpus;
    this.archive = archive;
    this.admission = admission;
    const { surveys } = database;
    this.validity = new Validity(database);
    // The loaded statistics of earlier processes may lead to other plans than those made in the meantime.
    void archive?.loaded.then(() => this.validity.lookAgain());
    this.surveyor = surveys && new Surveyor(database, surveys, admission.pool);
    this.execution = new Execution(database, admission, this.validity, attemptsMax);
    const { exclusive, gates, observer, planner } = this.execution;
    const parts = { database, admission, exclusive, gates, observer, planner };
    this.open = new OpenTransactions(parts, openTransactions);
    this.transitions = new Transitions(database, onJob);
    this.schema = new Schema(database, admission, this.execution);
    this.keys = new Keys(database);
  }

  get access(): 'read' | 'write' {
    return this.database.isReadOnly ? 'read' : 'write';
  }

  /** The random ID of the database, drawn when it was created. */
  get identity(): string {
    return this.database.identity;
  }

  /** Whether this process has created the database. */
  get isNew(): boolean {
    return this.database.isNew;
  }

  /** Sequence of the newest applied commit, which may not be durable yet. */
  get newestSequence(): number {
    return this.database.newestSequence;
  }

  /** The state that a process must find when it reopens this database. */
  get former(): FormerDatabase {
    const { identity, store } = this.database;
    return { identity, sequence: store.durableSequence };
  }

  get mode(): CatalogMode {
    return this.database.mode;
  }

  /** The newest committed catalog. Only `durableCatalog` may be shown to clients. */
  get catalog(): Catalog {
    return this.database.catalog;
  }

  /** The failure after which this process can no longer acknowledge commits; `undefined` before. */
  get poisoned(): Error | undefined {
    return this.database.store.poisoned;
  }

  /**
   * Throws on a reader that could not read the newest state for a minute, because API keys may have been revoked since. Called for requests
   * with an access token.
   */
  requireFreshKeys(): void {
    const { store, world } = this.database;
    if (store.newestAtMs === undefined) return;
    if (world.clock.monotonicMs() - store.newestAtMs < keysValidMs) return;
    const detail =
      'this reader could not read the newest state of the database for a minute, so it does not know which access tokens are valid; send the request to the writer, or again later';
    throw fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 5 });
  }

  /** Calls `listener` whenever the API keys or the catalog have changed, before any request sees the new state. */
  watch(listener: () => void): void {
    this.database.keyListeners.add(listener);
    this.database.catalogListeners.add(listener);
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
      database_id: this.database.identity,
      mode: this.mode,
      schema_version: catalog.version,
      schema_hash: schemaHash(catalog),
      ...(at === undefined ? {} : { schema_version_at: new Date(at).toISOString() }),
      location: this.database.location,
    };
  }

  /**
   * Admits a request. The caller must close the context when it no longer holds memory of the request. Throws `invalid_token` if the API key
   * of the request has ended while its body arrived.
   */
  requestContext(facts: RequestFacts): RequestContext {
    if (facts.principal !== undefined)
      requireAdmitted(this.database, { principal: facts.principal });
    return this.admission.requestContext(facts);
  }

  /** Begins a transaction that stays open between calls until it is committed or rolled back, or exceeds a limit. */
  begin(facts?: BeginFacts): EngineTransaction {
    return this.open.begin(facts);
  }

  /** Returns the number of open transactions and the age of the oldest. */
  openTransactions(): OpenTransactionStatistics {
    return this.open.statistics();
  }

  /** Returns how many requests run and wait, and how requests have ended. */
  admissionStatistics(): AdmissionStatistics {
    return this.admission.statistics();
  }

  /** Meters of programs. */
  get meters(): EngineMeters {
    return this.admission.meters;
  }

  /** Returns the statistics of programs and tables as JSON, in pieces. */
  async statisticsText(relay?: RelayReport): Promise<readonly string[]> {
    await this.archive?.loaded;
    return statisticsText(this.database, relay, this.corpus);
  }

  /** Erases recorded programs: the one with this hash, or all without a hash. Returns `undefined` if this process does not own the corpus. */
  eraseCorpus(hash?: string): Promise<Erased> | undefined {
    return this.ownedCorpus?.erase(hash);
  }

  /** Starts recording executions for another process. `takeTold` returns them. */
  recordExecutions(): void {
    this.database.feedback.record();
  }

  /** Returns the executions since the last call as plain data, or `undefined` if there are none. */
  takeTold(): Told | undefined {
    return this.database.feedback.takeTold();
  }

  /** Returns programs that a reader has executed and not sent yet, up to a limit. */
  takePrograms(): readonly ToldProgram[] {
    return this.corpus instanceof CorpusCourier ? this.corpus.take() : [];
  }

  /** Finishes the recording of a reader after all programs have ended, so that all of them can be taken. */
  async endCapture(): Promise<void> {
    if (this.corpus instanceof CorpusCourier) await this.corpus.end();
  }

  /** Stores programs that another process on the same database has executed. `undefined` if this process stores none. */
  get adoptPrograms(): ((programs: readonly ToldProgram[]) => void) | undefined {
    const { corpus } = this;
    return corpus instanceof Corpus ? (programs) => corpus.adopt(programs) : undefined;
  }

  /**
   * Merges executions of another process on the same database into the statistics. Families whose tables have changed
   * are skipped and counted.
   */
  foldTold(told: Told): Promise<{ readonly observations: number; readonly staleFamilies: number }> {
    return foldRelayed(this.database, told);
  }

  /** Returns counters and sizes of the store since it was opened. */
  storeStatistics(): StoreStatistics {
    return this.database.store.statistics();
  }

  /** Starts tracing the program of the request. If it is already traced, the first caller has set the level of detail. */
  trace(requestContext: RequestContext, isDetailed: boolean): ProgramTrace {
    const { store, world } = this.database;
    const cacheHits = () => store.cacheHits;
    requestContext.trace ??= new ProgramTrace({ clock: world.clock, isDetailed, cacheHits });
    return requestContext.trace;
  }

  /** Returns the explained plan without literals. */
  async explainFamily(plan: ProgramPlan, { budget }: RequestContext): Promise<Explanation> {
    return runSteps(explainProgramSteps(plan, budget, true), budget);
  }

  /**
   * Runs a program. Returns synchronously if nothing has to be waited for. The caller must close
   * `requestContext`. Without it, the program gets a separate context.
   */
  execute(request: ProgramRequest): Promise<ProgramResponse>;
  execute(
    request: ProgramRequest,
    requestContext: RequestContext,
  ): ProgramResponse | Promise<ProgramResponse>;
  execute(
    request: ProgramRequest,
    requestContext?: RequestContext,
  ): ProgramResponse | Promise<ProgramResponse> {
    if (requestContext !== undefined) return this.execution.execute(request, requestContext);
    return this.admission.within(undefined, async (own) => this.execution.execute(request, own));
  }

  /**
   * Returns the current state that the result of a prepared read-only program depends on, or `undefined` if its tables
   * have changed.
   */
  stateOf({ plan }: PreparedProgram): ReadState | undefined {
    const { database } = this;
    refuseOvertaken(database.store);
    return database.isCurrent(plan) ? readStateOf(database, plan) : undefined;
  }

  /**
   * Returns the current entity tag of a prepared query, by its `queryText`. Returns `undefined` if the tables have
   * changed, or if the tag does not depend on whole tables. A client may receive the tag only after `durable` has
   * resolved.
   */
  tagOf({ plan }: PreparedProgram, text: string, principal: Principal): string | undefined {
    const { database } = this;
    refuseOvertaken(database.store);
    const isOfTables = plan.pointLookups === undefined && !plan.isPoliced;
    const isKnown = isOfTables && database.isCurrent(plan);
    return isKnown ? entityTagOf(database, text, plan, principal) : undefined;
  }

  /** Returns `undefined` if the current state is durable. Otherwise resolves when it is. */
  durable(): Promise<void> | undefined {
    return this.database.store.durable(this.database.newestSequence);
  }

  /** Counts a result that was made for another request. `outcomes` contains the affected rows of each statement. */
  recalled(
    { plan: { statements } }: PreparedProgram,
    outcomes: readonly { readonly affected: number }[],
  ): void {
    const { feedback } = this.database;
    for (let i = 0; i < statements.length; i++) {
      const statement = statements[i];
      if (statement?.kind !== 'query') continue;
      const rows = outcomes[i]?.affected ?? 0;
      this.meters.statements.recalled(rows);
      const { family } = statement.query;
      if (family !== undefined) feedback.appeared(family, rows);
    }
  }

  /** Runs one catalog change as a separate program. `resolve` is called again after a conflict. Only for direct mode. */
  async changeCatalog(
    resolve: () => CatalogChange,
    requestContext?: RequestContext,
  ): Promise<{ readonly catalog: Catalog; readonly tableId: number }> {
    let change: CatalogChange | undefined;
    const program = () => {
      change = resolve();
      return { statements: [{ ...change, name: change.kind }] };
    };
    const request = { program, authority: 'migration' } as const;
    const response = await this.admission.within(requestContext, async (own) =>
      this.execute(request, own),
    );
    const changed = change as CatalogChange | undefined;
    invariant(changed !== undefined, 'a program that ran was asked for');
    const made = response.prepared.plan.catalogAfter.tableIdMax;
    const tableId = changed.kind === 'create_table' ? (changed.table.id ?? made) : changed.table_id;
    return { catalog: this.catalog, tableId };
  }

  /** Whether the access of this process would be granted now. */
  get isReady(): boolean {
    return this.access === 'read' || this.database.store.pressure !== 'stop';
  }

  /** Checks whether this process still owns the store and can write to it. */
  checkStorage(): Promise<StorageHealth> {
    return healthOf(this.database.store, this.transitions.worker);
  }

  /** Refuses all commits from now on, because this process can no longer acknowledge them. */
  endWrites(): void {
    this.database.hasEndedWrites = true;
  }

  /** Ends the programs that still wait or yield, because this process stops. */
  endPrograms(): void {
    const detail = 'the server stops, and the program did not finish in time; nothing was changed';
    const reason = fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 1 });
    this.admission.endAll(reason);
    void this.open.endAll(reason);
  }

  async close(): Promise<void> {
    await this.open.endAll(closing());
    await this.transitions.stop();
    this.schema.close();
    await this.surveyor?.stop();
    await this.keys.stop();
    this.database.feedback.stop();
    await this.corpus?.stop();
    await this.archive?.stop();
    await this.database.store.close();
  }
}

function closing(): Error {
  const detail = 'the database closes; the transaction was rolled back; nothing was changed';
  return fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 1 });
}
