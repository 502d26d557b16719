/** Brings a database to the files of its project, whenever they change. */

import { join, relative } from 'node:path';
import { CommandFailure } from '../frame/command-failure.ts';
import { printError } from '../frame/output.ts';
import { paintMessage } from '../frame/paint.ts';
import type { Interruption, Shell } from '../frame/shell.ts';
import { troubleOf } from '../frame/trouble.ts';
import { watchProject } from '../generate/watch-project.ts';
import { type ProjectConfig, readConfig } from '../project/config.ts';
import { openProject, type Project, type ProjectFlags } from '../project/open-project.ts';
import { schemaPathOf } from '../project/schema-file.ts';
import { migrateProject } from '../schema/migrate/migrate-command.ts';
import { touchedKinds } from '../schema/migrate/touched.ts';
import { isWithoutRows } from '../seed/empty-tables.ts';
import { seedFiles, seedProject, seedsOf } from '../seed/seed-command.ts';

interface Followed {
  readonly config: ProjectConfig;
  /** With the database of this command, whatever the configuration says by then, and where it is remembered. */
  readonly flags: ProjectFlags;
  readonly interruption: Interruption;
}

export class ProjectFollower {
  private readonly shell: Shell;
  private readonly followed: Followed;
  /** The database is as the schema file wants it. */
  private hasArrived = false;
  /** The database has rows, or had them: an empty one is filled once. */
  private isFilled = false;
  private hasWorked = false;
  private databaseUrl: string | undefined;

  constructor(shell: Shell, followed: Followed) {
    const { interruption } = followed;
    this.followed = followed;
    this.databaseUrl = followed.config.databaseUrl;
    this.shell = {
      ...shell,
      // A question that nobody answers any more would hold the terminal.
      ask: (question) => shell.ask(question, interruption.signal),
      // One for the whole command.
      interruption: () => ({ ...interruption, [Symbol.dispose]: () => {} }),
    };
  }

  /** Until it is interrupted. What goes wrong is said, and the next change tries again. */
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

  /** The server listens where the configuration said when the command began. */
  private sayAddress(): void {
    const { config, flags } = this.followed;
    const { databaseUrl } = readConfig(config.path);
    if (databaseUrl === this.databaseUrl) return;
    this.databaseUrl = databaseUrl;
    if (databaseUrl === config.databaseUrl) return;
    this.shell.note(
      `database_url is another one now; the server stays at ${flags.databaseUrl} until \`svc dev\` begins anew`,
    );
  }

  private open(): Project {
    return openProject(this.shell, { ...this.followed.flags, isKnown: true });
  }

  private async migrate(): Promise<void> {
    const { shell } = this;
    // Of a store that goes there is nothing that anybody would want to be asked about.
    const isThrownAway = this.followed.flags.databaseState !== undefined;
    const agreement = {
      acceptDataLoss: isThrownAway,
      acceptChanges: isThrownAway ? touchedKinds : [],
    };
    const how = { agreement, dryRun: false, adopts: false, generates: true };
    this.hasArrived = false;
    try {
      await migrateProject(shell, () => this.open(), how);
    } catch (error) {
      if (!isWithoutClients(error)) throw inWordsOfDev(error);
      const trouble = troubleOf(error);
      if (trouble !== undefined) printError(shell.mode, trouble);
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
        `the database has rows already; \`${reset}\`, in another terminal, deletes them all and writes those of ${file}`,
      );
    }
  }
}

/** The schema is there; its clients are not, which keeps nothing else from going on. */
function isWithoutClients(error: unknown): boolean {
  return error instanceof CommandFailure && error.facts.code === 'clients_not_generated';
}

/** With what to do beside this command, which has no flags that agree to anything. */
function inWordsOfDev(error: unknown): unknown {
  if (!(error instanceof CommandFailure)) return error;
  const { facts } = error;
  const hint = hints[facts.code]?.(facts.hint ?? '');
  return hint === undefined ? error : new CommandFailure({ ...facts, hint });
}

const hints: Readonly<Record<string, (hint: string) => string>> = {
  confirmation_required: (hint) =>
    `${hint}: run \`svc schema migrate\` with it in another terminal`,
  migration_cancelled: () => 'take the change back, or save the file again to be asked again',
};
