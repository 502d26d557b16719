/** The schema of the open database: compared with a desired one, and brought there (docs/migrations.md). */

import { invariant, runSteps } from '#base';
import { type Catalog, renderAheadSteps, schemaHash } from '#catalog';
import type { ProgramOutcome } from '#executor';
import { fail } from '#failure';
import { checkEnvelope } from '#pir';
import { type ProgramPlan, planProgramSteps } from '#planner';
import {
  type MigrateRequest,
  type MigrationPlan,
  type ParsedSchema,
  type Preflight,
  parseSchemaAside,
  planMigrationSteps,
  preflight,
  requireAllowed,
  requirePossible,
  type SchemaChange,
  type SchemaFinding,
} from '#schema';
import type { Admission } from './admission/admission.ts';
import { Crowd } from './admission/crowd.ts';
import type { Ticket } from './admission/ticket.ts';
import { commitProgram } from './attempt.ts';
import type { Database } from './database.ts';
import type { Exclusive } from './exclusive.ts';
import { release } from './release.ts';

interface SchemaDiff {
  readonly current: Catalog;
  readonly changes: readonly SchemaChange[];
  readonly program: MigrationPlan['program'];
  readonly destructive: readonly SchemaFinding[];
  readonly blocking: readonly SchemaFinding[];
}

interface SchemaMigration {
  /** Committed now. */
  readonly catalog: Catalog;
  readonly changes: readonly SchemaChange[];
  /** Of the work that was started now or that goes on already, sorted. */
  readonly transitionIds: readonly string[];
}

/** How often a migration is planned before a lost race is reported; the last time it commits alone. */
const attemptsMax = 3;

/** A plan with all that the rows say to it. */
interface Assessment {
  readonly current: Catalog;
  readonly plan: MigrationPlan;
  readonly findings: Preflight;
  /** Whether the tables that were searched for rows to lose are as they were. */
  readonly isCurrent: () => boolean;
}

export class Schema {
  private readonly database: Database;
  private readonly admission: Admission;
  private readonly exclusive: Exclusive;
  private readonly assessing: Crowd;
  /** The last reading or assessment: one at a time, because each may hold much memory. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(database: Database, admission: Admission, exclusive: Exclusive) {
    this.database = database;
    this.admission = admission;
    this.exclusive = exclusive;
    this.assessing = new Crowd(admission.limits.queueMax, 'schemas wait already to be compared');
  }

  /** How many schemas are read or compared, or wait for that. */
  get comparing(): number {
    return this.assessing.count;
  }

  /** What the text of a schema file says. */
  read(text: string, fileName: string, ticket?: Ticket): Promise<ParsedSchema> {
    return this.within(ticket, (own) => {
      const { budget } = own;
      return this.inTurn(own, () => parseSchemaAside(text, fileName, budget));
    });
  }

  /** Changes nothing. Throws `invalid` for what no migration can do. */
  diff(desired: Catalog, ticket?: Ticket): Promise<SchemaDiff> {
    return this.within(ticket, (own) => this.diffWithin(desired, own));
  }

  /** Everything immediate, and the starts of what is not, in one commit. */
  migrate(desired: Catalog, request: MigrateRequest, ticket?: Ticket): Promise<SchemaMigration> {
    return this.within(ticket, (own) => this.migrateWithin(desired, request, own));
  }

  /** A migration has no deadline. */
  private within<T>(given: Ticket | undefined, work: (ticket: Ticket) => Promise<T>): Promise<T> {
    return this.admission.within(given, work, { isUnlimited: true });
  }

  private async diffWithin(desired: Catalog, ticket: Ticket): Promise<SchemaDiff> {
    const { current, plan, findings } = await this.assess(desired, ticket);
    const { changes, program } = plan;
    const blocking = [...plan.blocking, ...findings.blocking];
    return { current, changes, program, destructive: findings.destructive, blocking };
  }

  private async migrateWithin(
    desired: Catalog,
    request: MigrateRequest,
    ticket: Ticket,
  ): Promise<SchemaMigration> {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const assessment = await this.assess(desired, ticket);
      const { current, plan, findings } = assessment;
      requireAllowed(current, desired, plan, findings, request);
      const carry = () => this.carryOut(assessment, ticket);
      const started = await (attempt < attemptsMax ? carry() : this.exclusive.run(ticket, carry));
      if (started !== undefined) return this.migrated(desired, plan, started);
    }
    throw fail(
      'serializable_conflict',
      'the migration lost a race against another commit; compare again and send it again',
    );
  }

  private assess(desired: Catalog, ticket: Ticket): Promise<Assessment> {
    const { budget } = ticket;
    const rendered = () =>
      runSteps(renderAheadSteps([this.database.catalog, desired], budget), budget);
    return this.inTurn(ticket, async () => {
      await rendered();
      return this.assessNow(desired, ticket);
    });
  }

  private inTurn<T>(ticket: Ticket, work: () => T | Promise<T>): Promise<T> {
    return this.assessing.wait(() => {
      const turn = this.last.then(() => {
        ticket.budget.check();
        return work();
      });
      this.last = turn.catch(() => undefined);
      return ticket.budget.until(turn);
    });
  }

  /** The plan from the schema of one snapshot to the desired one, and its preflight on that snapshot. */
  private async assessNow(desired: Catalog, ticket: Ticket): Promise<Assessment> {
    const { catalog: current, store } = this.database;
    const snapshot = store.snapshot();
    const changes = new Map(
      current.tables.map(({ physicalId }) => [physicalId, store.changeOf(physicalId)]),
    );
    try {
      const { budget } = ticket;
      const planned = (isLarge: (tableId: number) => boolean) =>
        runSteps(planMigrationSteps(current, desired, isLarge, budget), budget);
      const draft = await planned(() => false);
      requirePossible(draft);
      const findings = await preflight(draft, snapshot, ticket.budget);
      const { large } = findings;
      const plan = large.size === 0 ? draft : await planned((id) => large.has(id));
      const isCurrent = () =>
        findings.searched.every(
          (physicalId) => store.changeOf(physicalId) === changes.get(physicalId),
        );
      return { current, plan, findings, isCurrent };
    } finally {
      release(snapshot, ticket);
      await store.durable(snapshot.sequence);
    }
  }

  /** The ids of started transitions; undefined when the commit lost a race. */
  private async carryOut(
    { current, plan, isCurrent }: Assessment,
    ticket: Ticket,
  ): Promise<readonly string[] | undefined> {
    if (plan.program.statements.length === 0) return [];
    const program = await this.planned(current, plan, ticket);
    const pressure = this.exclusive.pass(ticket) ?? this.database.store.admitWrite();
    if (pressure !== undefined) await ticket.budget.until(pressure);
    if (!this.database.isCurrent(program)) return undefined;
    const idsOf = ({ statements }: ProgramOutcome) =>
      statements.flatMap(({ control }) => control?.transition_id ?? []);
    return commitProgram(this.database, program, ticket, { respond: idsOf, isStill: isCurrent });
  }

  /** The whole program makes one version, however many statements change the schema. */
  private async planned(
    current: Catalog,
    { program }: MigrationPlan,
    { budget, principal }: Ticket,
  ): Promise<ProgramPlan> {
    const rules = { mode: this.database.mode, authority: 'migration' } as const;
    const result = checkEnvelope(program, rules);
    const { planning: options, statistics } = this.database;
    const setting = { catalog: current, principal, options, statistics, pace: budget };
    const plan = await runSteps(planProgramSteps(program, { result }, setting), budget);
    const { catalogAfter } = plan;
    const version = Math.min(catalogAfter.version, current.version + 1);
    return { ...plan, catalogAfter: { ...catalogAfter, version } };
  }

  private async migrated(
    desired: Catalog,
    plan: MigrationPlan,
    started: readonly string[],
  ): Promise<SchemaMigration> {
    const { catalog, catalogSequence, store } = this.database;
    await store.durable(catalogSequence);
    const transitionIds = [...new Set([...started, ...plan.matched.values()])].sort();
    invariant(
      schemaHash(catalog) === schemaHash(desired) || transitionIds.length > 0,
      'a migration without online work has arrived',
    );
    return { catalog, changes: plan.changes, transitionIds };
  }
}
