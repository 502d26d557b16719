/** `svc init`: a new project, without touching what is there. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { stringify } from 'yaml';
import { originOf } from '#client';
import { CommandFailure } from './frame/command-failure.ts';
import { exitCodes } from './frame/exit-codes.ts';
import { printResult } from './frame/output.ts';
import type { Shell } from './frame/shell.ts';
import { configFile } from './project/config.ts';
import { schemaFile } from './project/schema-file.ts';
import { createWhole } from './project/write-file.ts';
import { emptySchema, starterSchema } from './starter-schema.ts';

const defaultUrl = 'svc://127.0.0.1:7237';

/** The data of a server that was started here, and the backup of an edit. */
const ignored = 'svc.data/\nsvc.schema.yaml.bak\n';

const behindProxy =
  'svc serve speaks no TLS; a proxy in front of the server has to, at this address';

interface Answers {
  readonly databaseUrl: string;
  readonly isEmpty: boolean;
}

export function initCommand(shell: Shell) {
  return new Command('init')
    .description('Create a project: its configuration and its schema file.')
    .argument('[directory]', 'where (default the current directory)', '.')
    .option('--database-url <url>', `where the database is (default ${defaultUrl})`)
    .option('--empty', 'no starter table')
    .option('-y, --yes', 'take all defaults')
    .action(async (directory, flags) => {
      const root = resolve(directory);
      const files = { config: join(root, configFile), schema: join(root, schemaFile) };
      for (const path of Object.values(files)) {
        if (existsSync(path)) throw taken(path);
      }
      const answers = await answersOf(shell, flags);
      const schema = answers.isEmpty ? emptySchema : starterSchema;
      const config = stringify({ database_url: answers.databaseUrl });
      const asksForTls = originOf(answers.databaseUrl).startsWith('https:');
      if (asksForTls) shell.note(`${answers.databaseUrl}: ${behindProxy}`);
      if (!createWhole(files.config, config)) throw taken(files.config);
      if (!createWhole(files.schema, schema)) throw taken(files.schema);
      const hasIgnored = createWhole(join(root, '.gitignore'), ignored);
      printResult(
        shell,
        { root, config_file: files.config, schema_file: files.schema },
        [
          `created ${join(directory, configFile)}`,
          `created ${join(directory, schemaFile)}`,
          ...(hasIgnored ? [`created ${join(directory, '.gitignore')}`] : []),
          '',
          'Next: edit the schema, run a server and bring it there:',
          ...(root === process.cwd() ? [] : [`  cd ${directory}`]),
          `  svc serve --catalog-mode schema${addressFlag(answers.databaseUrl)}    in a second terminal`,
          '  svc schema migrate',
        ].join('\n'),
      );
    });
}

/** A server of this machine listens where the project looks; one elsewhere is somebody else's to start. */
function addressFlag(databaseUrl: string): string {
  const { hostname, port, host } = new URL(originOf(databaseUrl));
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  return isLocal && port !== '7237' ? ` --addr ${host}` : '';
}

async function answersOf(
  shell: Shell,
  flags: { databaseUrl?: string; empty?: true; yes?: true },
): Promise<Answers> {
  const given = { url: flags.databaseUrl, isEmpty: flags.empty ?? false };
  if (!flags.yes && !shell.isInteractive) {
    throw new CommandFailure({
      code: 'confirmation_required',
      message: 'nobody is there to answer questions',
      hint: '--yes takes all defaults; --database-url and --empty answer the questions',
      exitCode: exitCodes.consent,
    });
  }
  if (given.url !== undefined) requireAddress(given.url);
  if (flags.yes) return { databaseUrl: given.url ?? defaultUrl, isEmpty: given.isEmpty };
  const databaseUrl = given.url ?? (await askAddress(shell));
  const isWanted = !given.isEmpty && (await askStarter(shell));
  return { databaseUrl, isEmpty: !isWanted };
}

/** Until there is one: a slip of the finger starts nothing anew. */
async function askAddress(shell: Shell): Promise<string> {
  for (;;) {
    const url = (await shell.ask(`Database URL [${defaultUrl}]: `)).trim() || defaultUrl;
    const trouble = troubleWith(url);
    if (trouble === undefined) return url;
    shell.say(trouble);
  }
}

async function askStarter(shell: Shell): Promise<boolean> {
  for (;;) {
    const answer = (await shell.ask('Include a starter users table? [Y/n] ')).trim();
    if (/^(?:y(?:es)?)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
    shell.say(`"${answer}" is neither y nor n`);
  }
}

function requireAddress(url: string): void {
  const trouble = troubleWith(url);
  if (trouble === undefined) return;
  throw new CommandFailure({
    code: 'usage',
    message: `--database-url: ${trouble}`,
    exitCode: exitCodes.usage,
  });
}

function troubleWith(url: string): string | undefined {
  try {
    originOf(url);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function taken(path: string): CommandFailure {
  return new CommandFailure({
    code: 'file_exists',
    message: `${path} exists, and is left as it is`,
    hint: 'choose another directory, or remove the file',
  });
}
