/** Chooses the database of a command from its flags, the variables or the project (docs/cli.md). */

import { Connection, originOf } from '#client';
import type { Environment } from '#server';
import { usageFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import type { ProjectConfig } from './config.ts';

export interface DatabaseFlags {
  readonly databaseUrl?: string | undefined;
  readonly env?: string | undefined;
  readonly accessTokenFile?: string | undefined;
  readonly caFile?: string | undefined;
}

export interface DatabaseChoice {
  /** The URL as the user wrote it. */
  readonly url: string;
  /** The origin to which requests go. */
  readonly origin: string;
  /** The name of the environment, such as `staging`, if an environment of the project was chosen. */
  readonly environment: string | undefined;
}

/** Returns the first given of `--database-url`, `--env`, `SVC_DATABASE_URL`, `SVC_ENV` and the database of the project. Throws if flags name two databases. */
export function chooseDatabase(
  config: ProjectConfig,
  flags: DatabaseFlags,
  variables: Environment,
): DatabaseChoice {
  if (flags.databaseUrl !== undefined && flags.env !== undefined) {
    throw usageFailure('--database-url cannot be used with --env: each names a database');
  }
  if (flags.databaseUrl !== undefined) return choice(flags.databaseUrl, '--database-url');
  if (flags.env !== undefined) return named(config, flags.env, '--env');
  const url = variables['SVC_DATABASE_URL'];
  if (url) return choice(url, 'SVC_DATABASE_URL');
  const environment = variables['SVC_ENV'];
  if (environment) return named(config, environment, 'SVC_ENV');
  if (config.databaseUrl !== undefined) return choice(config.databaseUrl, 'database_url');
  throw usageFailure(
    `no database was chosen: use --env with one of ${[...config.environments.keys()].join(', ')}`,
  );
}

function named(config: ProjectConfig, name: string, source: string): DatabaseChoice {
  const url = config.environments.get(name);
  if (url !== undefined) return choice(url, source, name);
  const names = [...config.environments.keys()];
  const known = names.length === 0 ? 'has none' : `has ${names.join(', ')}`;
  throw usageFailure(`${source}: there is no environment "${name}"; svc.config.yaml ${known}`);
}

function choice(url: string, source: string, environment?: string): DatabaseChoice {
  try {
    return { url, origin: originOf(url), environment };
  } catch (error) {
    throw usageFailure(`${source}: ${(error as Error).message}`);
  }
}

export function connectionTo(
  { origin }: DatabaseChoice,
  { accessTokenFile, caFile: givenCa }: DatabaseFlags,
  { env, world }: Shell,
): Connection {
  const tokenFile = accessTokenFile ?? (env['SVC_ACCESS_TOKEN_FILE'] || undefined);
  const token = env['SVC_ACCESS_TOKEN'] || undefined;
  const caFile = givenCa ?? (env['SVC_CA_FILE'] || undefined);
  return new Connection({ origin, scheduler: world.scheduler, tokenFile, token, caFile });
}

/** Returns the line that reports the database of a command. */
export function announcement({ environment, url }: DatabaseChoice): string {
  return environment === undefined ? `database ${url}` : `database ${environment}: ${url}`;
}
