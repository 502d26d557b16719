/** Generates the clients of a project from one of its accepted schemas. */

import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type ClientModel, emit, modelOf, type Target, TargetError } from '#codegen';
import { CommandFailure } from '../frame/command-failure.ts';
import type { AcceptedSchema } from '../project/accepted.ts';
import { type ProjectConfig, targetFailure } from '../project/config.ts';
import { StateDirectory } from '../project/state-directory.ts';
import { applyFiles, type ClientFile, compareFiles } from './client-files.ts';

/** A client whose generated files are compared with the existing files. */
export interface ComparedClient {
  readonly target: Target;
  /** The directory in the form for messages. */
  readonly shown: string;
  readonly files: readonly ClientFile[];
}

/** Compares without changing anything. Throws a CommandFailure if the configuration names an object that the schema does not have. */
export function compareClients(
  config: ProjectConfig,
  targets: readonly Target[],
  { catalog, version }: AcceptedSchema,
): readonly ComparedClient[] {
  const model = modelOf(catalog, version);
  const taken = new Set<string>();
  return targets.map((target) => {
    const path = directoryOf(config, target);
    const place = `${target.language} ${realpathOf(path)}`;
    if (taken.has(place)) {
      const what = `two clients for ${target.language} in the same directory, ${target.output}`;
      throw targetFailure(config.path, new TargetError(target.at, what));
    }
    taken.add(place);
    const shown = relative(process.cwd(), path) || '.';
    const { language } = target;
    return {
      target,
      shown,
      files: compareFiles({ language, path, shown }, filesOf(config, model, target)),
    };
  });
}

/** Writes the files that are missing or differ, and removes those that are no longer needed. */
export function writeClients(clients: readonly ComparedClient[]): void {
  for (const { files } of clients) applyFiles(files);
}

function filesOf(config: ProjectConfig, model: ClientModel, target: Target) {
  try {
    return emit(model, target);
  } catch (error) {
    throw error instanceof TargetError ? targetFailure(config.path, error) : error;
  }
}

/** Returns the output directory. The directory must be inside the project after resolving links, because generated files overwrite others. */
function directoryOf({ root, path }: ProjectConfig, { output, at }: Target): string {
  const directory = resolve(root, output);
  if (isInside(new StateDirectory(root).path('.'), directory)) {
    const what = `output ${JSON.stringify(output)} is the state directory of the project`;
    throw targetFailure(path, new TargetError(at, what));
  }
  if (isInside(realpathSync(root), realpathOf(directory)) && isInside(root, directory))
    return directory;
  const what = `output ${JSON.stringify(output)} is not inside the project`;
  throw targetFailure(path, new TargetError(at, what));
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith('../') && !way.startsWith('/');
}

/** Resolves the links in the part of a path that exists. */
function realpathOf(path: string): string {
  if (existsSync(path) || path === dirname(path)) return realpathSync(path);
  return join(realpathOf(dirname(path)), relative(dirname(path), path));
}

/** Returns the files that are missing, differ or are stale. */
export function differingFiles(clients: readonly ComparedClient[]): readonly ClientFile[] {
  return clients.flatMap(({ files }) => files.filter(({ state }) => state !== 'equal'));
}

/** Returns a line for each client. */
export function clientLines(clients: readonly ComparedClient[]): readonly string[] {
  return clients.map(({ target: { language }, shown, files }) => {
    const count = (...states: readonly string[]) =>
      files.filter(({ state, path }) => states.includes(state) && !path.endsWith('.json')).length;
    const written = count('missing', 'changed');
    const removed = count('stale');
    const parts = [
      ...(written === 0 ? [] : [`${written} ${written === 1 ? 'file' : 'files'} written`]),
      ...(removed === 0 ? [] : [`${removed} removed`]),
    ];
    return parts.length === 0
      ? `unchanged  ${shown} (${language})`
      : `generated  ${shown} (${language}): ${parts.join(', ')}`;
  });
}

/** Returns the files with their states, for programs. */
export function clientFacts(clients: readonly ComparedClient[]) {
  return clients.flatMap(({ target: { language }, files }) =>
    files.map(({ shown, state }) => ({ language, path: shown, state: doneStates[state] })),
  );
}

/** Returns the member of a result with the generated files. The member is omitted if the project configures no clients. */
export function clientsMember(clients: readonly ComparedClient[]) {
  return clients.length === 0 ? {} : { generated: clientFacts(clients) };
}

const doneStates = {
  equal: 'unchanged',
  missing: 'created',
  changed: 'replaced',
  stale: 'removed',
} as const;

/** Returns the failure of a project that configures no clients. */
export function nothingToGenerate(config: ProjectConfig): CommandFailure {
  return new CommandFailure({
    code: 'nothing_to_generate',
    message: `${relative(process.cwd(), config.path)} configures no client`,
    hint: 'add `generate: [{language: typescript, output: src/db}]` to it, or use --lang and --out; see `svc docs clients`',
  });
}
