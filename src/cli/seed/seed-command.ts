/** `svc seed`: loads seed data from a file of the project. */

import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CommandFailure, usageFailure } from '../frame/command-failure.ts';
import { printResult } from '../frame/output.ts';
import { counted } from '../frame/quantity.ts';
import { interruptedFailure, type Shell } from '../frame/shell.ts';
import { onceStarted } from '../project/awaited-start.ts';
import { openProject, type Project } from '../project/open-project.ts';
import { databaseCommand } from '../project/project-options.ts';
import { catalogOf } from '../project/schema-state.ts';
import { consentToReset, requireEmpty } from './empty-tables.ts';
import { readSeedDocument } from './seed-document.ts';
import { creatingStatements, deletingStatements, programsOf } from './seed-program.ts';
import { prepareRows } from './seed-rows.ts';
import { requireScript, runScript, scriptEnding } from './seed-script.ts';

export const seedFiles = ['svc.seed.json', 'svc.seed.ts'];

interface SeedFlags {
  readonly reset: boolean;
  readonly append: boolean;
  readonly yes: boolean;
  /** Aborts a script. */
  readonly signal?: AbortSignal | undefined;
}

interface SeedFile {
  readonly path: string;
  readonly shown: string;
}

export function seedCommand(shell: Shell) {
  return databaseCommand('seed')
    .description('Load seed data from a file of the project into the database.')
    .argument(
      '[file]',
      `file with rows, or a script (default ${seedFiles.join(' or ')} of the project)`,
    )
    .option('--reset', 'delete all rows of the database first')
    .option('--append', 'also write into tables that already have rows')
    .option('-y, --yes', 'confirm --reset of a database that is not on this machine')
    .action(async (given, { reset = false, append = false, yes = false, ...flags }) => {
      if (reset && append) throw usageFailure('--reset cannot be used with --append');
      await seedProject(shell, openProject(shell, flags), { given, reset, append, yes });
    });
}

/** Loads seed data and prints a summary. Throws if the rows do not match the tables, or if there is no file. */
export async function seedProject(
  shell: Shell,
  project: Project,
  { given, ...seed }: SeedFlags & { readonly given?: string | undefined },
): Promise<void> {
  const file = chooseFile(project, given);
  if (scriptEnding.test(file.path)) await seedByScript(shell, project, file, seed);
  else await seedByRows(shell, project, file, seed);
}

/** Returns the names of the existing seed files of the project. */
export function seedsOf(root: string): readonly string[] {
  return seedFiles.filter((name) => existsSync(join(root, name)));
}

function chooseFile({ config: { root } }: Project, given: string | undefined): SeedFile {
  if (given !== undefined) return { path: resolve(given), shown: given };
  const [first, second] = seedsOf(root);
  if (second !== undefined)
    throw usageFailure(`${first} and ${second} both exist; name one of them`);
  if (first !== undefined) {
    const path = join(root, first);
    return { path, shown: relative(process.cwd(), path) };
  }
  throw new CommandFailure({
    code: 'seed_unreadable',
    message: `there is neither ${seedFiles.join(' nor ')} in ${root}`,
    hint: 'a seed file contains JSON such as {"users": [{"handle": "ada"}]}; see `svc docs seeds`',
  });
}

async function seedByRows(
  shell: Shell,
  project: Project,
  { path, shown }: SeedFile,
  { reset, append, yes }: SeedFlags,
): Promise<void> {
  const document = readSeedDocument(path, shown);
  const catalog = catalogOf(await onceStarted(shell, () => project.api.schema()));
  if (catalog.tables.length === 0 && document.tables.length > 0) throw withoutSchema(project);
  const prepared = prepareRows(document, catalog);
  const filled = prepared.filter(({ rows }) => rows.length > 0);
  const created = creatingStatements(filled);
  if (reset) await consentToReset(shell, project, catalog, yes);
  else if (!append)
    await requireEmpty(
      project,
      filled.map(({ table }) => table.name),
      shown,
    );
  const programs = programsOf([...(reset ? deletingStatements(catalog) : []), ...created]);
  if (programs.length > 1) {
    shell.note(
      `the rows are written by ${programs.length} programs; if one fails, the rows of earlier programs stay`,
    );
  }
  for (const program of programs) await project.api.execute(program);
  const tables = filled.map(({ table: { name }, rows }) => ({ table: name, rows: rows.length }));
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  printResult(
    shell,
    { file: shown, reset, rows: total, tables },
    `seeded  ${shown} — ${counted(tables.length, 'table')}, ${counted(total, 'row')}`,
  );
}

async function seedByScript(
  shell: Shell,
  project: Project,
  { path, shown }: SeedFile,
  { reset, yes, signal }: SeedFlags,
): Promise<void> {
  if (!existsSync(path))
    throw new CommandFailure({ code: 'seed_unreadable', message: `there is no ${shown}` });
  requireScript(path, shown);
  const catalog = catalogOf(await onceStarted(shell, () => project.api.schema()));
  if (reset) {
    await consentToReset(shell, project, catalog, yes);
    for (const program of programsOf(deletingStatements(catalog)))
      await project.api.execute(program);
  }
  await runToEnd(shell, { path, shown, databaseUrl: project.database.url, signal });
  printResult(shell, { file: shown, reset }, `seeded  ${shown}`);
}

/** Runs the script. A signal that ends the command also ends the script. */
async function runToEnd(shell: Shell, script: Parameters<typeof runScript>[1]): Promise<void> {
  if (script.signal !== undefined) return await runScript(shell, script);
  using interruption = shell.interruption('every');
  const { signal } = interruption;
  try {
    await runScript(shell, { ...script, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw interruptedFailure(`interrupted; rows that ${script.shown} has already written stay`);
  }
}

function withoutSchema({ database, suggest }: Project): CommandFailure {
  return new CommandFailure({
    code: 'seed_without_schema',
    message: `${database.url} has no tables yet`,
    hint: `\`${suggest('schema migrate')}\` creates the tables of the schema file`,
  });
}
