/** Applies the files of a project to a database whenever they change. */

import { join, relative } from 'node:path';
import { CommandFailure } from '../frame/command-failure.ts';
import { printError } from '../frame/output.ts';
import { paintMessage } from '../frame/paint.ts';
import { reportedErrorOf } from '../frame/reported-error.ts';
import type { Interruption, Shell } from '../frame/shell.ts';
import { watchProject } from '../generate/watch-project.ts';
import { type ProjectConfig, readConfig } from '../project/config.ts';
import { openProject, type Project, type ProjectFlags } from '../project/open-project.ts';
import { schemaPathOf } from '../project/schema-file.ts';
import { affectedKinds } from '../schema/migrate/affected-object.ts';
import { migrateProject } from '../schema/migrate/migrate-command.ts';
import { isWithoutRows } from '../seed/empty-tables.ts';
import { seedFiles, seedProject, seedsOf } from '../seed/seed-command.ts';

interface Followed {
  readonly config: ProjectConfig;
  /** The flags contain the database of this command, even if the configuration changes, and the directory of the records about it. */
  readonly flags: ProjectFlags;
  readonly interruption: Interruption;
}

export class ProjectFollower {
  private readonly shell: Shell;
  private readonly followed: Followed;
  /** Whether the database has the schema of the file. */
  private hasArrived = false;
  /** Whether the database has or had rows. Seed data is loaded only once. */
  private isFilled = false;
  private hasWorked = false;
  private databaseUrl: string | undefined;

  constructor(shell: Shell, followed: Followed) {
    const { interruption } = followed;
    this.followed = followed;
    this.databaseUrl = followed.config.databaseUrl;
    this.shell = {
      ...shell,
      isStream: true,
      // Aborts a pending question on interruption, because it would block the terminal.
      ask: (question) => shell.ask(question, interruption.signal),
      // One interruption serves the whole command.
      interruption: () => ({ ...interruption, [Symbol.dispose]: () => {} }),
    };
  }

  /** Applies changes until the command is interrupted. An error is reported, and the next change starts another attempt. */
  follow(): Promise<void> {
    const { config, schema, seeds } = this.places();
    const watched = { places: [config, schema, ...seeds], command: 'svc dev' };
    return watchProject(this.shell, watched, (changed) => this.work(changed));
  }

  private places() {
    const { path: config, root } = this.followed.config;
    const seeds = seedFiles.map((name) => join(root, name));
    return { config, schema: schemaPathOf(root, this.followed.flags.file), seeds };
  }

  private async work(changed: readonly string[]): Promise<void> {
    const { seeds } = this.places();
    const isFirst = !this.hasWorked;
    this.hasWorked = true;
    if (!isFirst) this.sayChanged(changed);
    const isSeed = (path: string) => seeds.includes(path);
    if (!isFirst && changed.includes(this.places().config)) this.sayAddress();
    if (!this.hasArrived || !changed.every(isSeed)) await this.migrate();
    await this.seed(!isFirst && changed.some(isSeed));
  }

  private sayChanged(changed: readonly string[]): void {
    if (this.shell.mode === 'json') return;
    const names = changed.map((path) => relative(process.cwd(), path)).join(', ');
    this.shell.say(`\n${paintMessage('dim', `${names} changed`)}`);
  }

  /** Reports a changed address. The server keeps the address that was configured when the command started. */
  private sayAddress(): void {
    const { config, flags } = this.followed;
    const { databaseUrl } = readConfig(config.path);
    if (databaseUrl === this.databaseUrl) return;
    this.databaseUrl = databaseUrl;
    if (databaseUrl === config.databaseUrl) return;
    this.shell.note(
      `database_url has changed; the server stays at ${flags.databaseUrl} until \`svc dev\` is restarted`,
    );
  }

  private open(): Project {
    return openProject(this.shell, { ...this.followed.flags, isKnown: true });
  }

  private async migrate(): Promise<void> {
    const { shell } = this;
    // An ephemeral store has no data that needs a confirmation.
    const isThrownAway = this.followed.flags.databaseState !== undefined;
    const agreement = {
      acceptDataLoss: isThrownAway,
      acceptChanges: isThrownAway ? affectedKinds : [],
    };
    const how = { agreement, dryRun: false, adopts: false, generates: true };
    this.hasArrived = false;
    try {
      await migrateProject(shell, () => this.open(), how);
    } catch (error) {
      if (!isWithoutClients(error)) throw inWordsOfDev(error);
      const trouble = reportedErrorOf(error);
      if (trouble !== undefined) printError(shell, trouble);
    }
    this.hasArrived = true;
  }

  private async seed(isChanged: boolean): Promise<void> {
    const { config, interruption } = this.followed;
    const [file] = seedsOf(config.root);
    if (file === undefined) return;
    const project = this.open();
    this.isFilled ||= !(await isWithoutRows(project));
    if (!this.isFilled) {
      const { signal } = interruption;
      await seedProject(this.shell, project, { reset: false, append: false, yes: false, signal });
      this.isFilled = true;
    } else if (isChanged) {
      const reset = project.suggest('seed --reset');
      this.shell.note(
        `the database already has rows; \`${reset}\` in another terminal deletes all rows and writes those of ${file}`,
      );
    }
  }
}

/** Returns whether only the clients are missing. The schema was migrated, so work can continue. */
function isWithoutClients(error: unknown): boolean {
  return error instanceof CommandFailure && error.facts.code === 'clients_not_generated';
}

/** Adds hints for this command, which has no flags that confirm changes. */
function inWordsOfDev(error: unknown): unknown {
  if (!(error instanceof CommandFailure)) return error;
  const { facts } = error;
  const hint = hints[facts.code]?.(facts.hint ?? '');
  return hint === undefined ? error : new CommandFailure({ ...facts, hint });
}

const hints: Readonly<Record<string, (hint: string) => string>> = {
  confirmation_required: (hint) =>
    `${hint}: run \`svc schema migrate\` with it in another terminal`,
  migration_cancelled: () => 'revert the change, or save the file again to be asked again',
};
