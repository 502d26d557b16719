/** Sends a migration, waits until it is complete, and records the versions of the database. Each step can be repeated safely. */

import { isSamePolicies } from '#catalog';
import { type MigrateResult, ServerProblem, type WireDiffFinding } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import type { Shell } from '../../frame/shell.ts';
import type { Project } from '../../project/open-project.ts';
import { hashOfPolicies, policiesOf, requestedPolicies } from '../../project/policy-state.ts';
import type { DesiredSchema } from '../../project/schema-file.ts';
import { catalogOf, type DatabaseState } from '../../project/schema-state.ts';
import { awaitTransitions } from '../transitions/await-transitions.ts';
import type { MigrationProgress } from './migration-progress.ts';
import { RetryWindow } from './retry-window.ts';

export interface Migrated {
  readonly result: MigrateResult;
  readonly version: number;
  /** Path of the accepted schema, relative to the project. */
  readonly accepted: string;
}

interface MigrationFacts {
  readonly project: Project;
  readonly desired: DesiredSchema;
  readonly state: DatabaseState;
  /** Receives the progress. */
  readonly course: MigrationProgress;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
}

export class Migration {
  private readonly shell: Shell;
  private readonly project: Project;
  private readonly desired: DesiredSchema;
  private readonly state: DatabaseState;
  private readonly retries: RetryWindow;
  private readonly course: MigrationProgress;
  private readonly signal: AbortSignal;

  constructor(shell: Shell, { project, desired, state, course, signal }: MigrationFacts) {
    this.shell = shell;
    this.project = project;
    this.desired = desired;
    this.state = state;
    this.course = course;
    this.signal = signal;
    this.retries = new RetryWindow(shell, project, { databaseId: state.databaseId, signal });
  }

  /** Throws if the database rejects the migration, stops responding, or a transition fails. */
  async run(losses: readonly WireDiffFinding[]): Promise<Migrated> {
    try {
      return await this.carryOut(losses);
    } catch (error) {
      if (this.course.isSending && error instanceof ServerProblem) this.forget();
      throw isMoreLoss(error) ? moreLoss(error, this.project) : error;
    }
  }

  private async carryOut(losses: readonly WireDiffFinding[]): Promise<Migrated> {
    const { project, desired, state, retries, course, signal } = this;
    const { databaseId } = state;
    if (databaseId !== undefined) {
      const { version: fromVersion, catalog: from } = state;
      project.pending.begin(databaseId, { fromVersion, from, to: desired.catalog });
    }
    const { policies, catalog } = desired;
    const changesPolicies = policies !== 'absent' && state.policyHash !== undefined;
    // If the response is lost, the next migration recognizes the policies.
    if (typeof policies === 'object') project.policies.add(hashOfPolicies(catalog, policies));
    course.sends(project);
    const result = await retries.ask(() =>
      project.api.migrate({
        schema: desired.text,
        current_version: state.version,
        current_hash: state.hash,
        ...(changesPolicies && { current_policy_hash: state.policyHash }),
        accept_data_loss: losses.length > 0,
        ...(losses.length > 0 && { accepted_losses: losses.map(named) }),
        ...(databaseId === undefined ? {} : { database_id: databaseId }),
      }),
    );
    course.isCommitted(result.transition_ids);
    await awaitTransitions(this.shell, project.api, result.transition_ids, {
      pollMs: 100,
      signal,
      ask: (question) => retries.ask(question),
    });
    return { result, ...(await this.accept()) };
  }

  /** Records the new schema. The migration is complete if the hash of the database is that of the file. */
  private async accept(): Promise<{ version: number; accepted: string }> {
    const { project, desired, retries } = this;
    const arrived = await retries.ask(() => project.api.schema());
    const { schema_version: version, schema_hash: hash } = arrived;
    const catalog = catalogOf(arrived);
    const found = policiesOf(arrived, catalog);
    const isOther =
      found.policyHash !== undefined &&
      desired.policies !== 'absent' &&
      !isSamePolicies(requestedPolicies(desired.policies), found.policies);
    if (hash !== desired.hash || isOther) throw changedMeanwhile(version, project);
    this.course.hasArrived();
    const accepted = project.accepted.add({ version, hash, catalog });
    if (found.policies !== undefined) project.policies.add(hashOfPolicies(catalog, found.policies));
    this.remember(version, hash);
    return { version, accepted };
  }

  /** Records the former schema too, because the database can be reverted to it later. */
  private remember(version: number, hash: string): void {
    const { database, held, lineage, met, pending, seen } = this.project;
    const { databaseId, version: before, hash: hashBefore, catalog } = this.state;
    const last = held.last();
    if (last !== undefined) lineage.add(hash, last);
    if (catalog.tables.length > 0) lineage.add(hash, hashBefore);
    held.add(hash);
    if (databaseId === undefined) return;
    met.add(databaseId, database.environment ?? database.url);
    if (catalog.tables.length > 0) seen.add(databaseId, before, hashBefore);
    seen.add(databaseId, version, hash);
    pending.end(databaseId);
  }

  /** Called when the server has rejected the migration, so that none is pending. */
  private forget(): void {
    const { databaseId } = this.state;
    this.course.isRefused();
    if (databaseId !== undefined) this.project.pending.end(databaseId);
  }
}

function named({ kind, table, column }: WireDiffFinding) {
  return { kind, ...(table !== undefined && { table }), ...(column !== undefined && { column }) };
}

function isMoreLoss(error: unknown): error is ServerProblem {
  if (!(error instanceof ServerProblem)) return false;
  return error.problem.reason === 'schema_data_loss_acceptance_required';
}

/** Returns the failure for losses that exceed the confirmed ones, because rows were inserted after the diff. */
function moreLoss({ message }: ServerProblem, { suggest }: Project): CommandFailure {
  return new CommandFailure({
    code: 'confirmation_required',
    message,
    hint: `nothing was changed; \`${suggest('schema migrate')}\` compares again and asks`,
    exitCode: exitCodes.consent,
  });
}

function changedMeanwhile(version: number, { suggest }: Project): CommandFailure {
  return new CommandFailure({
    code: 'schema_changed_meanwhile',
    message: `the database is at version ${version} with another schema than this migration made`,
    hint: `another migration was committed at the same time; \`${suggest('schema status')}\` shows the current state`,
    exitCode: exitCodes.conflict,
  });
}
