/** `svc dev`: runs a development server, and keeps its schema, clients and rows up to date with the files of the project (docs/dev.md). */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { endLog, LogSink, openLog, type Server, standardError } from '#server';
import { CommandFailure, usageFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { Shell } from '../frame/shell.ts';
import { configFile, type ProjectConfig, readConfig } from '../project/config.ts';
import { chooseDatabase, type DatabaseChoice } from '../project/database-choice.ts';
import { ownDatabaseUrl } from '../project/own-database.ts';
import { configOption, databaseOption, fileOption } from '../project/project-options.ts';
import { schemaPathOf } from '../project/schema-file.ts';
import { seedsOf } from '../seed/seed-command.ts';
import { addressHint, devConfiguration, openDevServer } from './dev-server.ts';
import { ProjectFollower } from './follow-project.ts';

interface Flags {
  readonly config?: string | undefined;
  readonly file?: string | undefined;
  readonly databaseUrl?: string | undefined;
  readonly storagePath?: string | undefined;
  readonly throwAway?: boolean | undefined;
}

export function devCommand(shell: Shell, exit: (code: number) => void) {
  return new Command('dev')
    .description(
      'Run a development server that applies changes of the project: schema, clients and seed data.',
    )
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(databaseOption())
    .option('--storage-path <directory>', 'directory of the data (default svc.data of the project)')
    .option(
      '--throw-away',
      'keep data in memory only: each start creates an empty database and asks nothing',
    )
    .action(async (flags) => exit(await develop(shell, flags)));
}

async function develop(shell: Shell, flags: Flags): Promise<number> {
  if (flags.throwAway && flags.storagePath !== undefined) {
    throw usageFailure('--throw-away cannot be used with --storage-path');
  }
  const config = readConfig(flags.config ?? configFile);
  const database = databaseOf(shell, config, flags);
  const directory = flags.throwAway
    ? undefined
    : resolve(flags.storagePath ?? join(config.root, 'svc.data'));
  const configuration = devConfiguration(shell, { database, directory });
  const { world } = shell;
  const sink = new LogSink(standardError());
  const { logLevel: level, logFormat: format } = configuration;
  const log = openLog({ level, format, clock: world.clock, sink });
  using interruption = shell.interruption('every');
  const server = await openDevServer(shell, { configuration, directory, log, interruption });
  if (server === undefined) return exitCodes.done;
  // The records of the project about an ephemeral database are deleted with it.
  const databaseState = flags.throwAway ? mkdtempSync(join(tmpdir(), 'svc-dev-')) : undefined;
  try {
    const { url } = server;
    const { isNew } = await server.opened;
    introduce(shell, { config, url, flags, directory, isNew });
    const { config: path, file } = flags;
    const followed = { config, flags: { config: path, file, databaseUrl: url, databaseState } };
    const follower = new ProjectFollower(shell, { ...followed, interruption });
    await Promise.race([follower.follow(), loss(server)]);
  } finally {
    await server.stop();
    if (databaseState !== undefined) rmSync(databaseState, { recursive: true, force: true });
  }
  return endLog(sink, world, { exitCode: exitCodes.done, isHeld: server.isHeld });
}

/** Chooses the database as any command of the project does. This command has no flag for an environment. */
function databaseOf({ env }: Shell, config: ProjectConfig, flags: Flags): DatabaseChoice {
  const isNamed = flags.databaseUrl ?? env['SVC_DATABASE_URL'] ?? env['SVC_ENV'];
  if (!isNamed && config.databaseUrl === undefined) {
    throw usageFailure('the project has no default database, only environments', addressHint);
  }
  return chooseDatabase(config, flags, env);
}

/** Throws when the process may not continue to serve. */
async function loss({ lost }: Server): Promise<never> {
  const isFenced = (await lost) === 'fenced';
  throw new CommandFailure({
    code: isFenced ? 'storage_fenced' : 'storage_lost',
    message: isFenced ? 'another server has taken over the store' : 'the store is lost',
    hint: 'see the log above',
    exitCode: isFenced ? exitCodes.conflict : exitCodes.failed,
  });
}

interface Introduced {
  readonly config: ProjectConfig;
  readonly url: string;
  readonly flags: Flags;
  readonly directory: string | undefined;
  readonly isNew: boolean;
}

function introduce(shell: Shell, { config, url, flags, directory, isNew }: Introduced): void {
  const shown = (path: string) => relative(process.cwd(), path) || '.';
  const seeds = seedsOf(config.root);
  const own = ownDatabaseUrl(shell, config, url);
  const elsewhere = own === undefined ? '' : ` (other commands need --database-url ${own})`;
  const lines = {
    server: `${url}${elsewhere}`,
    data:
      directory === undefined
        ? 'in memory, deleted on exit'
        : `${shown(directory)}${isNew ? ' (a new, empty store)' : ''}`,
    schema: `${shown(schemaPathOf(config.root, flags.file))}, migrated when it changes`,
    clients: clientsText(config),
    seed:
      seeds.length === 0
        ? 'none; svc.seed.json would be loaded into an empty database'
        : `${seeds.join(', ')}, loaded if the database is empty`,
  };
  for (const [name, text] of Object.entries(lines)) shell.say(`${name.padEnd(8)} ${text}`);
  shell.say('Press Ctrl-C to stop\n');
}

function clientsText(config: ProjectConfig): string {
  try {
    const targets = config.targets().map(({ language, output }) => `${output} (${language})`);
    if (targets.length > 0) return `${targets.join(', ')}, generated after each migration`;
    return 'none; configure them with `generate` in svc.config.yaml (`svc docs clients`)';
  } catch {
    // Each attempt to migrate reports the errors of their configuration.
    return 'as configured in svc.config.yaml';
  }
}
