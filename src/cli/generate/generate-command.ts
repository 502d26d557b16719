/** `svc generate`: generates typed clients from the accepted schema without a server. */

import { relative, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { defaultTarget, isPackageName, type Language, languages, type Target } from '#codegen';
import { CommandFailure, usageFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { type AcceptedSchema, AcceptedSchemas } from '../project/accepted.ts';
import { configFile, type ProjectConfig, readConfig } from '../project/config.ts';
import { configOption, fileOption } from '../project/project-options.ts';
import { readSchemaFile, schemaPathOf } from '../project/schema-file.ts';
import { StateDirectory } from '../project/state-directory.ts';
import {
  clientFacts,
  clientLines,
  compareClients,
  differingFiles,
  nothingToGenerate,
  writeClients,
} from './generate-clients.ts';
import { watchProject } from './watch-project.ts';

interface Flags {
  readonly config?: string | undefined;
  readonly file?: string | undefined;
  readonly lang?: Language | undefined;
  readonly out?: string | undefined;
  readonly pkg?: string | undefined;
}

export function generateCommand(shell: Shell, exit: (code: number) => void) {
  return new Command('generate')
    .description(
      'Generate the typed clients that svc.config.yaml configures, from the accepted schema.',
    )
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(
      new Option('--lang <language>', 'generate only clients of this language').choices(languages),
    )
    .addOption(
      new Option(
        '--out <dir>',
        'directory of that client, instead of the configured one',
      ).argParser(outputOf),
    )
    .addOption(new Option('--pkg <name>', 'package name of that client').argParser(packageOf))
    .option('--check', 'write nothing; check whether the generated files are up to date')
    .option('--watch', 'keep running and generate again when the project changes')
    .action(async ({ check = false, watch = false, ...flags }) => {
      if (check && watch) throw usageFailure('--check cannot be used with --watch');
      if (check) return checkFiles(shell, flags, exit);
      if (!watch) return generate(shell, flags);
      const watched = { places: placesOf(flags), command: 'svc generate' };
      const stream = { ...shell, isStream: true };
      await watchProject(stream, watched, () => generate(stream, flags));
    });
}

/** Returns the inputs of the clients: paths of files, and a directory. */
function placesOf(flags: Flags): readonly string[] {
  const config = resolve(flags.config ?? configFile);
  const root = resolve(config, '..');
  const state = new StateDirectory(root);
  return [config, schemaPathOf(root, flags.file), state.path('accepted')];
}

function generate(shell: Shell, flags: Flags): void {
  const { clients, schema } = compared(flags);
  writeClients(clients);
  printResult(
    shell,
    { schema_version: schema.version, schema_hash: schema.hash, files: clientFacts(clients) },
    clientLines(clients).join('\n'),
  );
}

function checkFiles(shell: Shell, flags: Flags, exit: (code: number) => void): void {
  const { clients } = compared(flags);
  const files = differingFiles(clients).map(({ shown, state }) => ({ path: shown, state }));
  const up_to_date = files.length === 0;
  const lines = files.map(({ path, state }) => `${state.padEnd(7)}  ${path}`);
  printResult(
    shell,
    { up_to_date, files },
    up_to_date ? 'up to date' : [...lines, '`svc generate` brings them up to date'].join('\n'),
  );
  if (!up_to_date) exit(exitCodes.differs);
}

function compared(flags: Flags) {
  const config = readConfig(flags.config ?? configFile);
  const targets = targetsOf(config, flags);
  const schema = acceptedSchema(config, flags.file);
  return { clients: compareClients(config, targets, schema), schema };
}

/** Returns the configured clients, narrowed by flags. Flags alone can also define a client. */
function targetsOf(config: ProjectConfig, { lang, out, pkg }: Flags): readonly Target[] {
  const all = config.targets();
  const chosen = all.filter(({ language }) => lang === undefined || language === lang);
  if (pkg !== undefined && (chosen[0]?.language ?? lang) === 'typescript') {
    throw usageFailure('--pkg is only for clients in Go and Python');
  }
  const own = pkg === undefined ? {} : { package: pkg };
  if (out === undefined && pkg === undefined && chosen.length > 0) return chosen;
  if (chosen.length > 1)
    throw usageFailure('--out and --pkg apply to one client; choose it with --lang');
  const [only] = chosen;
  if (only !== undefined)
    return [{ ...only, ...own, output: outputIn(config, out) ?? only.output }];
  if (lang === undefined || out === undefined) {
    throw all.length === 0
      ? nothingToGenerate(config)
      : usageFailure(`the project configures no client in ${lang}; set its directory with --out`);
  }
  return [{ ...defaultTarget(lang, outputIn(config, out) as string), ...own }];
}

/** Converts a path. Flags are relative to the current directory, and the configuration is relative to its file. */
function outputIn({ root }: ProjectConfig, out: string | undefined): string | undefined {
  return out === undefined ? undefined : relative(root, resolve(out)) || '.';
}

/** Returns the accepted schema that equals the schema file. */
function acceptedSchema(config: ProjectConfig, file: string | undefined): AcceptedSchema {
  const path = schemaPathOf(config.root, file);
  const shown = relative(process.cwd(), path) || '.';
  const accepted = new AcceptedSchemas(new StateDirectory(config.root));
  const found = accepted.find(readSchemaFile(path, shown).hash);
  if (found !== undefined) return found;
  const isFirst = accepted.newest() === undefined;
  throw new CommandFailure({
    code: 'schema_not_accepted',
    message: isFirst
      ? 'this project has no accepted schema yet; clients are generated from an accepted schema'
      : `${shown} has changes that no database has accepted; clients are generated from an accepted schema`,
    hint: 'nothing was changed; `svc schema migrate` migrates the database to the file and generates clients, `svc schema pull` imports the schema of the database',
  });
}

function outputOf(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected a directory.');
}

function packageOf(text: string): string {
  if (isPackageName(text)) return text;
  throw new InvalidArgumentError(
    'Expected lower-case letters, digits and _, starting with a letter, and not a keyword of Go or Python.',
  );
}
