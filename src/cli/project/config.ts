/** `svc.config.yaml`: where the database is (cli.md §4). */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { originOf } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';

export const configFile = 'svc.config.yaml';

export interface ProjectConfig {
  /** Absolute path of the file. */
  readonly path: string;
  /** Absolute path of its directory. */
  readonly root: string;
  readonly databaseUrl: string;
  /** Where requests go. */
  readonly origin: string;
  readonly generate: readonly GenerateTarget[];
}

export interface GenerateTarget {
  readonly language: string;
  readonly output: string;
  readonly package: string;
}

/** Throws a CommandFailure that names the file and what is wrong with it. */
export function readConfig(given: string): ProjectConfig {
  const path = resolve(given);
  const members = readMembers(given, readText(given, path));
  for (const name of Object.keys(members)) {
    if (name !== 'database_url' && name !== 'generate') {
      throw broken(given, `unknown member "${name}"; there are database_url and generate`);
    }
  }
  const databaseUrl = members['database_url'];
  if (typeof databaseUrl !== 'string') throw broken(given, 'database_url is missing or no text');
  return {
    path,
    root: dirname(path),
    databaseUrl,
    origin: originIn(given, databaseUrl),
    generate: targetsIn(given, members['generate']),
  };
}

function readText(given: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ENOENT';
    throw new CommandFailure({
      code: 'config_unavailable',
      message: isMissing ? `there is no ${given}` : `${given} cannot be read: ${error}`,
      hint: '`svc init` creates one; --config names another',
    });
  }
}

function readMembers(given: string, text: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw broken(given, error.message);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw broken(given, 'it is no mapping');
}

function originIn(given: string, databaseUrl: string): string {
  try {
    return originOf(databaseUrl);
  } catch (error) {
    throw broken(given, `database_url: ${(error as Error).message}`);
  }
}

function targetsIn(given: string, value: unknown): readonly GenerateTarget[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw broken(given, 'generate is no list');
  return value.map((target: unknown, i) => {
    const { language, output, package: pkg, ...rest } = Object(target) as Record<string, unknown>;
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) throw broken(given, `generate[${i}]: unknown member "${unknown}"`);
    if (typeof language !== 'string' || typeof output !== 'string' || typeof pkg !== 'string') {
      throw broken(given, `generate[${i}] needs language, output and package`);
    }
    return { language, output, package: pkg };
  });
}

function broken(given: string, what: string): CommandFailure {
  return new CommandFailure({ code: 'config_invalid', message: `${given}: ${what}` });
}
