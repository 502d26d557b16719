/** Sends a migration, waits until it has arrived, and keeps what the database went through; safe to be repeated at each step. */

import type { MigrateResult } from '#client';
import { ServerProblem, Unreachable } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import type { Shell } from '../../frame/shell.ts';
import type { Project } from '../../project/open-project.ts';
import type { DesiredSchema } from '../../project/schema-file.ts';
import { catalogOf, type DatabaseState } from '../../project/standing.ts';
import { awaitTransitions } from '../transitions/await-transitions.ts';
import { Patience } from './patience.ts';

export interface Migrated {
  readonly result: MigrateResult;
  readonly version: number;
  /** Path of the accepted schema, relative to the project. */
  readonly accepted: string;
}

export class Migration {
  private readonly shell: Shell;
  private readonly project: Project;
  private readonly desired: DesiredSchema;
  private readonly state: DatabaseState;
  private readonly patience: Patience;
  private phase: 'sending' | 'waiting' = 'sending';
  private transitions: readonly string[] = [];

  constructor(shell: Shell, project: Project, desired: DesiredSchema, state: DatabaseState) {
    this.shell = shell;
    this.project = project;
    this.desired = desired;
    this.state = state;
    this.patience = new Patience(shell, project, state.databaseId);
  }

  /** Throws what explains how things stand: at an interruption, when the answers stop, when work fails. */
  async run(acceptsLoss: boolean): Promise<Migrated> {
    using interruption = this.shell.interruption();
    try {
      return await Promise.race([this.carryOut(acceptsLoss), interruption.happened]);
    } catch (error) {
      throw this.explained(error);
    }
  }

  private async carryOut(acceptsLoss: boolean): Promise<Migrated> {
    const { project, desired, state, patience } = this;
    const { databaseId } = state;
    if (databaseId !== undefined) {
      const { version: fromVersion, catalog: from } = state;
      project.pending.begin(databaseId, { fromVersion, from, to: desired.catalog });
    }
    const result = await patience.ask(() =>
      project.api.migrate({
        schema: desired.text,
        current_version: state.version,
        current_hash: state.hash,
        accept_data_loss: acceptsLoss,
        ...(databaseId === undefined ? {} : { database_id: databaseId }),
      }),
    );
    this.phase = 'waiting';
    this.transitions = result.transition_ids;
    await awaitTransitions(this.shell, project.api, this.transitions, {
      pollMs: 100,
      ask: (question) => patience.ask(question),
    });
    return { result, ...(await this.accept()) };
  }

  /** The database has arrived when its hash is that of the file. */
  private async accept(): Promise<{ version: number; accepted: string }> {
    const { project, desired, patience } = this;
    const arrived = await patience.ask(() => project.api.schema());
    const { schema_version: version, schema_hash: hash } = arrived;
    if (hash !== desired.hash) throw changedMeanwhile(version);
    const accepted = project.accepted.add({ version, hash, catalog: catalogOf(arrived) });
    this.remember(version, hash);
    return { version, accepted };
  }

  /** Where the database came from, too: it may be taken back to that one day. */
  private remember(version: number, hash: string): void {
    const { database, held, met, pending, seen } = this.project;
    const { databaseId, version: before, hash: hashBefore, catalog } = this.state;
    held.add(hash);
    if (databaseId === undefined) return;
    met.add(databaseId, database.environment ?? database.url);
    if (catalog.tables.length > 0) seen.add(databaseId, before, hashBefore);
    seen.add(databaseId, version, hash);
    pending.end(databaseId);
  }

  private explained(error: unknown): unknown {
    if (this.phase === 'sending' && error instanceof ServerProblem) this.forget();
    const isInterrupted = error instanceof CommandFailure && error.facts.code === 'interrupted';
    if (!isInterrupted && !(error instanceof Unreachable)) return error;
    const { message } = error;
    return new CommandFailure({
      code: isInterrupted ? 'interrupted' : 'unreachable',
      message: `${message}; ${this.standing()}`,
      hint: '`svc schema migrate` takes it up again where it is, `svc schema status` says how things are; cancelling a transition gives it up',
      exitCode: isInterrupted ? exitCodes.interrupted : exitCodes.unreachable,
      details: { transition_ids: this.transitions },
    });
  }

  /** The server has refused: nothing is under way. */
  private forget(): void {
    const { databaseId } = this.state;
    if (databaseId !== undefined) this.project.pending.end(databaseId);
  }

  private standing(): string {
    if (this.phase === 'sending') return 'the migration was sent, its answer was not seen';
    const work = this.transitions.length === 0 ? '' : `: ${this.transitions.join(', ')}`;
    return `the migration is committed and goes on at the database${work}`;
  }
}

function changedMeanwhile(version: number): CommandFailure {
  return new CommandFailure({
    code: 'schema_changed_meanwhile',
    message: `the database is at version ${version} with another schema than this migration made`,
    hint: 'somebody migrated at the same time: `svc schema status` says how things are',
    exitCode: exitCodes.conflict,
  });
}
