/** `svc seed`: rows to begin with, from a file beside the schema. */

import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CommandFailure, usageFailure } from '../frame/command-failure.ts';
import { printResult } from '../frame/output.ts';
import { counted } from '../frame/quantity.ts';
import { interruptedFailure, type Shell } from '../frame/shell.ts';
import { onceStarted } from '../project/awaited-start.ts';
import { openProject, type Project } from '../project/open-project.ts';
import { databaseCommand } from '../project/project-options.ts';
import { catalogOf } from '../project/standing.ts';
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
  /** Ends a script. */
  readonly signal?: AbortSignal | undefined;
}

interface SeedFile {
  readonly path: string;
  readonly shown: string;
}

export function seedCommand(shell: Shell) {
  return databaseCommand('seed')
    .description('Write rows to begin with into the database, from a file of the project.')
    .argument('[file]', `the rows, or a script (default ${seedFiles.join(' or ')} of the project)`)
    .option('--reset', 'delete all rows of the database first')
    .option('--append', 'write into tables that have rows already')
    .option('-y, --yes', 'agree to --reset of a database that is not on this machine')
    .action(async (given, { reset = false, append = false, yes = false, ...flags }) => {
      if (reset && append) throw usageFailure('--reset and --append exclude each other');
      await seedProject(shell, openProject(shell, flags), { given, reset, append, yes });
    });
}

/** Prints what was written. Throws where the rows do not fit, or there is no file. */
export async function seedProject(
  shell: Shell,
  project: Project,
  { given, ...seed }: SeedFlags & { readonly given?: string | undefined },
): Promise<void> {
  const file = chooseFile(project, given);
  if (scriptEnding.test(file.path)) await seedByScript(shell, project, file, seed);
  else await seedByRows(shell, project, file, seed);
}

/** Those of the project that are there, as it names them. */
export function seedsOf(root: string): readonly string[] {
  return seedFiles.filter((name) => existsSync(join(root, name)));
}

function chooseFile({ config: { root } }: Project, given: string | undefined): SeedFile {
  if (given !== undefined) return { path: resolve(given), shown: given };
  const [first, second] = seedsOf(root);
  if (second !== undefined)
    throw usageFailure(`${first} and ${second} are both there: name one of them`);
  if (first !== undefined) {
    const path = join(root, first);
    return { path, shown: relative(process.cwd(), path) };
  }
  throw new CommandFailure({
    code: 'seed_unreadable',
    message: `there is neither ${seedFiles.join(' nor ')} in ${root}`,
    hint: 'a seed is JSON: {"users": [{"handle": "ada"}]}; `svc docs seeds` says more',
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
      `the rows are written by ${programs.length} programs: if one fails, those before it stay`,
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

/** A signal that ends the command ends the script as well. */
async function runToEnd(shell: Shell, script: Parameters<typeof runScript>[1]): Promise<void> {
  if (script.signal !== undefined) return await runScript(shell, script);
  using interruption = shell.interruption('every');
  const { signal } = interruption;
  try {
    await runScript(shell, { ...script, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw interruptedFailure(`interrupted; what ${script.shown} wrote before stays`);
  }
}

function withoutSchema({ database, suggest }: Project): CommandFailure {
  return new CommandFailure({
    code: 'seed_without_schema',
    message: `${database.url} has no tables yet`,
    hint: `\`${suggest('schema migrate')}\` makes those of the schema file`,
  });
}
