/** `svc.config.yaml`: the databases and clients of a project (docs/cli.md). */

import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { type Document, LineCounter, type Node, parseDocument } from 'yaml';
import { originOf } from '#client';
import { readTargets, type Target, TargetError } from '#codegen';
import { CommandFailure } from '../frame/command-failure.ts';
import { systemReason } from '../frame/system-reason.ts';

export const configFile = 'svc.config.yaml';

/** The default address of a server. */
export const defaultUrl = 'svc://127.0.0.1:7237';

export interface ProjectConfig {
  /** Absolute path of the file. */
  readonly path: string;
  /** Absolute path of its directory. */
  readonly root: string;
  /** The database of commands that name no other database. */
  readonly databaseUrl: string | undefined;
  /** Further databases, by the name of their environment. */
  readonly environments: ReadonlyMap<string, string>;
  /**
   * Returns the clients to generate. Throws a CommandFailure with the position of an error in their configuration. Commands that do not need them never report
   * such errors.
   */
  targets(): readonly Target[];
}

const members = ['database_url', 'environments', 'generate'];

/** Throws a CommandFailure with the name of the file and the problem. */
export function readConfig(given: string): ProjectConfig {
  const path = resolve(given);
  const lines = new LineCounter();
  const parsed = parsedDocument(given, readText(given, path), lines);
  const document = readMembers(given, parsed);
  refuseOthers(given, document, members, 'database_url, environments and generate');
  const databaseUrl = document['database_url'];
  const environments = environmentsIn(given, document['environments']);
  if (databaseUrl === undefined && environments.size === 0) {
    throw broken(given, 'database_url is missing');
  }
  return {
    path,
    root: dirname(path),
    databaseUrl:
      databaseUrl === undefined ? undefined : addressIn(given, 'database_url', databaseUrl),
    environments,
    targets() {
      try {
        return readTargets(parsed.get('generate', true) as Node | undefined, lines);
      } catch (error) {
        throw error instanceof TargetError ? targetFailure(path, error) : error;
      }
    },
  };
}

/** Returns the failure for an error in the configuration of a client. `path` is absolute. */
export function targetFailure(path: string, { at, message }: TargetError): CommandFailure {
  const shown = relative(process.cwd(), path);
  const place = at === undefined ? '' : `${shown}:${at.line}:${at.column}: `;
  return new CommandFailure({
    code: 'config_invalid',
    message: `${place}${message}`,
    details: at && { path: shown, line: at.line, column: at.column },
  });
}

function environmentsIn(given: string, value: unknown): ReadonlyMap<string, string> {
  if (value === undefined || value === null) return new Map();
  if (!isMapping(value)) throw broken(given, 'environments is not a mapping of names');
  return new Map(
    Object.entries(value).map(([name, environment]) => {
      const place = `environments.${name}`;
      if (!isMapping(environment))
        throw broken(given, `${place} is not a mapping with database_url`);
      refuseOthers(given, environment, ['database_url'], `database_url in ${place}`);
      return [name, addressIn(given, `${place}.database_url`, environment['database_url'])];
    }),
  );
}

function addressIn(given: string, place: string, value: unknown): string {
  if (typeof value !== 'string') throw broken(given, `${place} is missing or not a string`);
  try {
    originOf(value);
    return value;
  } catch (error) {
    throw broken(given, `${place}: ${(error as Error).message}`);
  }
}

function readText(given: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure({
      code: 'config_unavailable',
      message: unreadable(given, error),
      hint: '`svc init` creates one; --config selects another',
    });
  }
}

/** Returns the reason why a file cannot be read, in words. */
export function unreadable(given: string, error: unknown): string {
  switch ((error as { code?: string }).code) {
    case 'ENOENT':
      return `there is no ${given}`;
    case 'EISDIR':
      return `${given} is a directory, not a file`;
    default:
      return `${given} cannot be read: ${systemReason(error)}`;
  }
}

function parsedDocument(given: string, text: string, lineCounter: LineCounter): Document {
  const document = parseDocument(text, { prettyErrors: true, lineCounter });
  const [error] = document.errors;
  if (error !== undefined) throw broken(given, error.message);
  return document;
}

function readMembers(given: string, document: Document): Readonly<Record<string, unknown>> {
  const value = plainValue(given, document);
  if (isMapping(value)) return value;
  throw broken(
    given,
    'the file is not a mapping; `database_url: svc://127.0.0.1:7237` is a complete file',
  );
}

/** Parses the document. Aliases are rejected as in the schema file, because with them one value would determine another. */
function plainValue(given: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw broken(given, 'YAML aliases are not allowed; write the value in their place');
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuseOthers(
  given: string,
  document: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
  words: string,
): void {
  const other = Object.keys(document).find((name) => !allowed.includes(name));
  if (other !== undefined) throw broken(given, `unknown member "${other}"; expected ${words}`);
}

function broken(given: string, what: string): CommandFailure {
  return new CommandFailure({ code: 'config_invalid', message: `${given}: ${what}` });
}
