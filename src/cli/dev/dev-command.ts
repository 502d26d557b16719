/** `svc dev`: a server, and a schema, clients and rows that follow the files of the project, in one terminal (docs/dev.md). */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import {
  endLog,
  LogSink,
  openLog,
  readConfiguration,
  runServer,
  Server,
  standardError,
} from '#server';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { Shell } from '../frame/shell.ts';
import { configFile, type ProjectConfig, readConfig } from '../project/config.ts';
import { chooseDatabase, type DatabaseChoice } from '../project/database-choice.ts';
import { isLocal } from '../project/is-local.ts';
import { configOption, databaseOption, fileOption } from '../project/project-options.ts';
import { schemaPathOf } from '../project/schema-path.ts';
import { seedsOf } from '../seed/seed-command.ts';
import { followProject } from './follow-project.ts';

interface Flags {
  readonly config?: string | undefined;
  readonly file?: string | undefined;
  readonly databaseUrl?: string | undefined;
  readonly storagePath?: string | undefined;
  readonly throwAway?: boolean | undefined;
}

export function devCommand(shell: Shell, exit: (code: number) => void) {
  return new Command('dev')
    .description('Run a server that follows the project: schema, clients and rows to begin with.')
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(databaseOption())
    .option(
      '--storage-path <directory>',
      'where the data is kept (default svc.data of the project)',
    )
    .option('--throw-away', 'data in memory only: each start begins anew, and asks nothing')
    .action(async (flags) => exit(await develop(shell, flags)));
}

async function develop(shell: Shell, flags: Flags): Promise<number> {
  if (flags.throwAway && flags.storagePath !== undefined) {
    throw usage('--throw-away and --storage-path exclude each other');
  }
  const config = readConfig(flags.config ?? configFile);
  const database = chooseDatabase(config, flags, shell.env);
  const directory = resolve(flags.storagePath ?? join(config.root, 'svc.data'));
  const configuration = readConfiguration(
    {
      // A variable of the server's that names where to listen is not less than the project's address.
      addr: shell.env['SVC_ADDR'] || addressOf(database),
      'catalog-mode': 'schema',
      ...(shell.env['SVC_LOG_LEVEL'] ? {} : { 'log-level': 'warn' }),
      ...(flags.throwAway ? { storage: 'memory' } : { storage: 'file', 'storage-path': directory }),
    },
    shell.env,
  );
  const { world } = shell;
  const sink = new LogSink(standardError());
  const { logLevel: level, logFormat: format } = configuration;
  const log = openLog({ level, format, clock: world.clock, sink });
  const ended = new AbortController();
  // What a project remembers of a database that goes goes with it.
  const databaseState = flags.throwAway ? mkdtempSync(join(tmpdir(), 'svc-dev-')) : undefined;
  let following = Promise.resolve();
  using interruption = shell.interruption();
  const isEnding = () => interruption.signal.aborted || ended.signal.aborted;
  try {
    const ending = await runServer(
      () => new Server(configuration, world, log),
      ({ url }, { isNew }) => {
        const facts = { ...flags, databaseUrl: url, databaseState };
        introduce(shell, { config, url, flags, directory, isNew });
        following = followProject(shell, { ...facts, isNew, signal: ended.signal });
        // At a question Ctrl-C is an answer, of which the server hears nothing.
        const stop = () => void (isEnding() || process.kill(process.pid, 'SIGINT'));
        following.then(stop, stop);
      },
    );
    ended.abort();
    await following;
    return await endLog(sink, world, ending);
  } catch (error) {
    throw inWordsOfDev(error);
  } finally {
    if (databaseState !== undefined) rmSync(databaseState, { recursive: true, force: true });
  }
}

/** What keeps a server from starting names a flag that this command does not have. */
function inWordsOfDev(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.includes('--addr')) return error;
  const message = error.message.replace('--addr', '--database-url');
  return new CommandFailure({ code: 'address_unavailable', message });
}

/** `host:port` of a database that this process can be. */
function addressOf({ url, origin }: DatabaseChoice): string {
  const { protocol, hostname, port, pathname } = new URL(origin);
  if (protocol === 'http:' && isLocal(origin) && pathname === '/') {
    return `${hostname}:${port || '80'}`;
  }
  throw new CommandFailure({
    code: 'usage',
    message: `svc dev is the database itself, and ${url} is not one that this machine can be`,
    hint: '--database-url svc://127.0.0.1:7237 names one for this command',
    exitCode: exitCodes.usage,
  });
}

interface Introduced {
  readonly config: ProjectConfig;
  readonly url: string;
  readonly flags: Flags;
  readonly directory: string;
  readonly isNew: boolean;
}

function introduce(shell: Shell, { config, url, flags, directory, isNew }: Introduced): void {
  const shown = (path: string) => relative(process.cwd(), path) || '.';
  const seeds = seedsOf(config.root);
  const lines = {
    server: url,
    data: flags.throwAway
      ? 'in memory, gone when this ends'
      : `${shown(directory)}${isNew ? ' (a new, empty store)' : ''}`,
    schema: `${shown(schemaPathOf(config.root, flags.file))}, migrated when it changes`,
    clients: clientsText(config),
    seed:
      seeds.length === 0
        ? 'none: svc.seed.json would be written into a new store'
        : `${seeds.join(', ')}, ${isNew ? 'written after the first migration' : 'written already; `svc seed --reset` begins anew'}`,
  };
  for (const [name, text] of Object.entries(lines)) shell.say(`${name.padEnd(8)} ${text}`);
  shell.say('Ctrl-C ends it\n');
}

function clientsText(config: ProjectConfig): string {
  try {
    const targets = config.targets().map(({ language, output }) => `${output} (${language})`);
    if (targets.length > 0) return `${targets.join(', ')}, generated after each migration`;
    return 'none: `generate` in svc.config.yaml names them (`svc docs clients`)';
  } catch {
    // Each attempt to migrate says what is wrong with them.
    return 'as svc.config.yaml says';
  }
}

function usage(message: string): CommandFailure {
  return new CommandFailure({ code: 'usage', message, exitCode: exitCodes.usage });
}
