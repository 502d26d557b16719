/** The schema of the open database: comparison with a desired schema, and migrations (docs/migrations.md). */

import { requireScopes } from '#access';
import { invariant, runSteps } from '#base';
import { type Catalog, renderAheadSteps, schemaHash } from '#catalog';
import {
  type DesiredPolicies,
  type DiffFinding,
  type MigrateRequest,
  type MigrationPreflight,
  type ParsedSchema,
  planMigrationSteps,
  preflight,
  requireAllowed,
  requirePossible,
  type SchemaChange,
  SchemaReader,
  type WholePlan,
  wholeProgram,
  withPolicies,
} from '#schema';
import type { Admission } from './admission/admission.ts';
import { BoundedWaiters } from './admission/bounded-waiters.ts';
import type { RequestContext } from './admission/request-context.ts';
import type { Database } from './database.ts';
import type { Execution } from './execution.ts';
import { release } from './release.ts';

interface SchemaDiff {
  readonly current: Catalog;
  readonly changes: readonly SchemaChange[];
  readonly program: WholePlan['program'];
  readonly destructive: readonly DiffFinding[];
  readonly blocking: readonly DiffFinding[];
}

interface SchemaMigration {
  /** The committed catalog after the migration. */
  readonly catalog: Catalog;
  readonly changes: readonly SchemaChange[];
  /** Sorted IDs of the transitions that the migration started or that are already in progress. */
  readonly transitionIds: readonly string[];
}

/** A request for a migration. */
interface Migration extends MigrateRequest {
  /** By default, the policies stay unchanged. */
  readonly policies?: DesiredPolicies;
  /** Called before policies change, again if the migration is repeated after a conflict. If it throws, nothing is changed. */
  readonly beforePolicyChange?: () => void;
}

/** The state that a migration leads to. */
interface Aim {
  readonly desired: Catalog;
  readonly policies: DesiredPolicies;
}

/** A migration plan with its findings in the rows. */
interface Assessment {
  readonly current: Catalog;
  readonly plan: WholePlan;
  readonly findings: MigrationPreflight;
  /** Returns whether the tables that were searched for lost rows are unchanged. */
  readonly isCurrent: () => boolean;
}

export class Schema {
  private readonly database: Database;
  private readonly admission: Admission;
  private readonly execution: Execution;
  private readonly assessing: BoundedWaiters;
  private readonly reader: SchemaReader;
  /** The last reading or assessment. They run one at a time, because each may need much memory. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(database: Database, admission: Admission, execution: Execution) {
    this.database = database;
    this.admission = admission;
    this.execution = execution;
    this.reader = new SchemaReader(database.world.scheduler);
    this.assessing = new BoundedWaiters(
      admission.limits.queueMax,
      'schemas already wait to be compared',
    );
  }

  /** Number of schemas that are read or compared, or that wait for it. */
  get comparing(): number {
    return this.assessing.count;
  }

  /** Ends all waits for schema files. */
  close(): void {
    this.reader.close();
  }

  /** Parses the text of a schema file. */
  read(text: string, fileName: string, requestContext?: RequestContext): Promise<ParsedSchema> {
    return this.within(requestContext, (own) => {
      const { budget } = own;
      return this.inTurn(own, () => this.reader.parse(text, fileName, budget));
    });
  }

  /** Compares the schemas and changes nothing. Throws `invalid` if no migration is possible. */
  diff(
    desired: Catalog,
    policies: DesiredPolicies = 'absent',
    requestContext?: RequestContext,
  ): Promise<SchemaDiff> {
    return this.within(requestContext, (own) => this.diffWithin({ desired, policies }, own));
  }

  /** Applies all immediate changes, starts all transitions and sets the policies in one commit. Throws `insufficient_scope` if the policies change and the principal lacks the scope `admin`. */
  migrate(
    desired: Catalog,
    request: Migration,
    requestContext?: RequestContext,
  ): Promise<SchemaMigration> {
    return this.within(requestContext, (own) => this.migrateWithin(desired, request, own));
  }

  /** Runs work without a deadline. */
  private within<T>(
    given: RequestContext | undefined,
    work: (requestContext: RequestContext) => Promise<T>,
  ): Promise<T> {
    return this.admission.within(given, work, { isUnlimited: true });
  }

  private async diffWithin(aim: Aim, requestContext: RequestContext): Promise<SchemaDiff> {
    const { current, plan, findings } = await this.assess(aim, requestContext);
    const { changes, program } = plan;
    const blocking = [...plan.blocking, ...findings.blocking];
    return { current, changes, program, destructive: findings.destructive, blocking };
  }

  private async migrateWithin(
    desired: Catalog,
    request: Migration,
    requestContext: RequestContext,
  ): Promise<SchemaMigration> {
    const { policies = 'absent' } = request;
    const last: { assessment?: Assessment } = {};
    const made = () => {
      invariant(last.assessment !== undefined, 'a program is planned after it was made');
      return last.assessment;
    };
    const program = async () => {
      last.assessment = await this.assess({ desired, policies }, requestContext);
      const { current, plan, findings } = last.assessment;
      const { isChanged } = plan.policies;
      if (isChanged) requireScopes(requestContext.principal, ['admin']);
      requireAllowed(current, desired, plan, findings, request);
      if (isChanged) request.beforePolicyChange?.();
      return wholeProgram(plan);
    };
    const basis = { catalog: () => made().current, holds: () => made().isCurrent() };
    const asked = { program, basis, authority: 'migration' } as const;
    const { statements } = await this.execution.execute(asked, requestContext);
    const started = statements.flatMap(({ control }) => control?.transition_id ?? []);
    return this.migrated(desired, made().plan, started);
  }

  private assess(aim: Aim, requestContext: RequestContext): Promise<Assessment> {
    const { budget } = requestContext;
    const rendered = () =>
      runSteps(renderAheadSteps([this.database.catalog, aim.desired], budget), budget);
    return this.inTurn(requestContext, async () => {
      await rendered();
      return this.assessNow(aim, requestContext);
    });
  }

  private inTurn<T>(requestContext: RequestContext, work: () => T | Promise<T>): Promise<T> {
    return this.assessing.wait(() => {
      const turn = this.last.then(() => {
        requestContext.budget.check();
        return work();
      });
      this.last = turn.catch(() => undefined);
      return requestContext.budget.until(turn);
    });
  }

  /** Plans the migration from the schema of one snapshot to the desired schema, and checks the rows of that snapshot. */
  private async assessNow(
    { desired, policies }: Aim,
    requestContext: RequestContext,
  ): Promise<Assessment> {
    const { catalog: current, store } = this.database;
    const snapshot = store.snapshot();
    const changes = new Map(
      current.tables.map(({ physicalId }) => [physicalId, store.changeOf(physicalId)]),
    );
    try {
      const { budget } = requestContext;
      const planned = (isLarge: (tableId: number) => boolean) =>
        runSteps(planMigrationSteps(current, desired, isLarge, budget), budget);
      const draft = withPolicies(await planned(() => false), policies);
      await runSteps(requirePossible(draft, budget), budget);
      const findings = await preflight(draft, snapshot, requestContext.budget);
      const { large } = findings;
      const plan =
        large.size === 0 ? draft : withPolicies(await planned((id) => large.has(id)), policies);
      const isCurrent = () =>
        findings.searched.every(
          (physicalId) => store.changeOf(physicalId) === changes.get(physicalId),
        );
      return { current, plan, findings, isCurrent };
    } finally {
      release(snapshot, requestContext);
      await store.durable(snapshot.sequence);
    }
  }

  private async migrated(
    desired: Catalog,
    plan: WholePlan,
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
