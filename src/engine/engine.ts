/** The engine: one open database, from a checked program to the rows of its answer. */

import { invariant, runSteps } from '#base';
import {
  type Catalog,
  type CatalogChange,
  type CatalogMode,
  type Principal,
  schemaHash,
} from '#catalog';
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
import type { AdmissionStatistics } from './admission/statistics.ts';
import type { RequestFacts, Ticket } from './admission/ticket.ts';
import { refuseOvertaken } from './attempt.ts';
import type { Database } from './database.ts';
import { entityTagOf } from './entity-tag.ts';
import { Execution } from './execution.ts';
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
  /** Drawn when the database was created: tells it from every other one, whatever their schemas. */
  readonly database_id: string;
  readonly mode: CatalogMode;
  readonly schema_version: number;
  readonly schema_hash: string;
  readonly schema_version_at?: string;
  readonly location: string;
}

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
  /** Prepared programs, for whoever keeps some. */
  readonly plans = new PlanCache();
  private readonly admission: Admission;
  private readonly validity: Validity;
  private readonly surveyor: Surveyor | undefined;
  private readonly archive: Archive | undefined;
  /** Where programs that have run are kept, or handed out by a reader; undefined where they are not. */
  readonly corpus: Corpus | CorpusCourier | undefined;
  private readonly ownedCorpus: Corpus | undefined;
  private readonly open: OpenTransactions;
  /** Online transitions as administrators see them. */
  readonly transitions: Transitions;
  /** Migrations to a schema file. */
  readonly schema: Schema;

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
    // What was kept of surveys and executions may ask for other plans than those that were made meanwhile.
    void archive?.loaded.then(() => this.validity.lookAgain());
    this.surveyor = surveys && new Surveyor(database, surveys, admission.pool);
    this.execution = new Execution(database, admission, this.validity, attemptsMax);
    const { exclusive, gates, observer, planner } = this.execution;
    const parts = { database, admission, exclusive, gates, observer, planner };
    this.open = new OpenTransactions(parts, openTransactions);
    this.transitions = new Transitions(database, onJob);
    this.schema = new Schema(database, admission, this.execution);
  }

  get access(): 'read' | 'write' {
    return this.database.isReadOnly ? 'read' : 'write';
  }

  /** Drawn when the database was created. */
  get identity(): string {
    return this.database.identity;
  }

  /** Nothing was there: this process made it. */
  get isNew(): boolean {
    return this.database.isNew;
  }

  /** Number of the newest commit that was applied; it may not be durable. */
  get newestSequence(): number {
    return this.database.newestSequence;
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
      database_id: this.database.identity,
      mode: this.mode,
      schema_version: catalog.version,
      schema_hash: schemaHash(catalog),
      ...(at === undefined ? {} : { schema_version_at: new Date(at).toISOString() }),
      location: this.database.location,
    };
  }

  /** Lets a request in. The caller closes the ticket when nothing of the request is held any more. */
  ticket(facts: RequestFacts): Ticket {
    return this.admission.ticket(facts);
  }

  /** Begins a transaction that stays open between calls, until it commits, is rolled back, or meets a limit. */
  begin(facts?: BeginFacts): EngineTransaction {
    return this.open.begin(facts);
  }

  /** How many transactions are open now, and for how long the oldest. */
  openTransactions(): OpenTransactionStatistics {
    return this.open.statistics();
  }

  /** Which requests run and wait, and how they ended. */
  admissionStatistics(): AdmissionStatistics {
    return this.admission.statistics();
  }

  /** What is counted of programs. */
  get meters(): EngineMeters {
    return this.admission.meters;
  }

  /** JSON text, in pieces, of what is known of programs and tables. */
  async statisticsText(relay?: RelayReport): Promise<readonly string[]> {
    await this.archive?.loaded;
    return statisticsText(this.database, relay, this.corpus);
  }

  /** Erases programs that were kept for replay: the one with this hash, without one all of them. Undefined where the corpus is not of this process. */
  eraseCorpus(hash?: string): Promise<Erased> | undefined {
    return this.ownedCorpus?.erase(hash);
  }

  /** From now on executions are kept for another process, which `takeTold` hands out. */
  recordExecutions(): void {
    this.database.feedback.record();
  }

  /** Executions since it was asked last, as plain data; undefined: none. */
  takeTold(): Told | undefined {
    return this.database.feedback.takeTold();
  }

  /** Programs that a reader has run and not handed out yet, up to a bound. */
  takePrograms(): readonly ToldProgram[] {
    return this.corpus instanceof CorpusCourier ? this.corpus.take() : [];
  }

  /** No program runs any more: all that have run can be taken. */
  async endCapture(): Promise<void> {
    if (this.corpus instanceof CorpusCourier) await this.corpus.end();
  }

  /** Keeps programs that another process on the same database has run; undefined where none are kept. */
  get adoptPrograms(): ((programs: readonly ToldProgram[]) => void) | undefined {
    const { corpus } = this;
    return corpus instanceof Corpus ? (programs) => corpus.adopt(programs) : undefined;
  }

  /** Folds in what another process on the same database has executed. Families of tables that are others by now are left out, and counted. */
  foldTold(told: Told): Promise<{ readonly observations: number; readonly staleFamilies: number }> {
    return foldRelayed(this.database, told);
  }

  /** What the store has done since it was opened, and holds now. */
  storeStatistics(): StoreStatistics {
    return this.database.store.statistics();
  }

  /** From now on, what the program of the ticket does is counted, as whoever came first has asked. */
  trace(ticket: Ticket, isDetailed: boolean): ProgramTrace {
    const { store, world } = this.database;
    const cacheHits = () => store.cacheHits;
    ticket.trace ??= new ProgramTrace({ clock: world.clock, isDetailed, cacheHits });
    return ticket.trace;
  }

  /** The plan for people, without literals. */
  async explainFamily(plan: ProgramPlan, { budget }: Ticket): Promise<Explanation> {
    return runSteps(explainProgramSteps(plan, budget, true), budget);
  }

  /** Runs a program; at once when nothing has to be waited for. The caller closes the ticket. Without one, the program has a ticket of its own. */
  execute(request: ProgramRequest): Promise<ProgramResponse>;
  execute(request: ProgramRequest, ticket: Ticket): ProgramResponse | Promise<ProgramResponse>;
  execute(request: ProgramRequest, ticket?: Ticket): ProgramResponse | Promise<ProgramResponse> {
    if (ticket !== undefined) return this.execution.execute(request, ticket);
    return this.admission.within(undefined, async (own) => this.execution.execute(request, own));
  }

  /** What the answer of a prepared program that only reads depends on, as of now; undefined when its tables are not what they were. */
  stateOf({ plan }: PreparedProgram): ReadState | undefined {
    const { database } = this;
    refuseOvertaken(database.store);
    return database.isCurrent(plan) ? readStateOf(database, plan) : undefined;
  }

  /**
   * The tag that a prepared query has now, by its `queryText`; undefined as for `stateOf`, and where it is not made of whole tables. To be told
   * once `durable` says so.
   */
  tagOf({ plan }: PreparedProgram, text: string, principal: Principal): string | undefined {
    const { database } = this;
    refuseOvertaken(database.store);
    const isKnown = database.isCurrent(plan) && plan.pointLookups === undefined;
    return isKnown ? entityTagOf(database, text, plan, principal) : undefined;
  }

  /** Undefined when all that is there now is durable, else resolves when it is. */
  durable(): Promise<void> | undefined {
    return this.database.store.durable(this.database.newestSequence);
  }

  /** An answer was given that was made for somebody else: `affected` rows of each statement. */
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

  /** Runs one change as a program of its own; `resolve` is asked again when a race was lost. Direct mode only. */
  async changeCatalog(
    resolve: () => CatalogChange,
    ticket?: Ticket,
  ): Promise<{ readonly catalog: Catalog; readonly tableId: number }> {
    let change: CatalogChange | undefined;
    const program = () => {
      change = resolve();
      return { statements: [{ ...change, name: change.kind }] };
    };
    const request = { program, authority: 'migration' } as const;
    const response = await this.admission.within(ticket, async (own) => this.execute(request, own));
    const changed = change as CatalogChange | undefined;
    invariant(changed !== undefined, 'a program that ran was asked for');
    const made = response.prepared.plan.catalogAfter.tableIdMax;
    const tableId = changed.kind === 'create_table' ? (changed.table.id ?? made) : changed.table_id;
    return { catalog: this.catalog, tableId };
  }

  /** Whether the access that it was opened for would be granted now. */
  get isReady(): boolean {
    return this.access === 'read' || this.database.store.pressure !== 'stop';
  }

  /** Whether this process still owns the store and can write to it. */
  checkStorage(): Promise<StorageHealth> {
    return healthOf(this.database.store, this.transitions.worker);
  }

  /** Refuses what has not committed yet: this process may not acknowledge anything more. */
  endWrites(): void {
    this.database.hasEndedWrites = true;
  }

  /** Ends the programs that still wait or give way: this process stops. */
  endPrograms(): void {
    const detail = 'the server stops, and the program was not done in time; nothing happened';
    const reason = fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 1 });
    this.admission.endAll(reason);
    void this.open.endAll(reason);
  }

  async close(): Promise<void> {
    await this.open.endAll(closing());
    await this.transitions.stop();
    this.schema.close();
    await this.surveyor?.stop();
    this.database.feedback.stop();
    await this.corpus?.stop();
    await this.archive?.stop();
    await this.database.store.close();
  }
}

function closing(): Error {
  const detail = 'the database closes: the transaction was rolled back, nothing was changed';
  return fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 1 });
}
