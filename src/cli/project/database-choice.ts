/** Which database a command talks to: a flag names it, a variable, or the project (docs/cli.md). */

import { Connection, originOf } from '#client';
import type { Environment } from '#server';
import { usageFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import type { ProjectConfig } from './config.ts';

export interface DatabaseFlags {
  readonly databaseUrl?: string | undefined;
  readonly env?: string | undefined;
  readonly accessTokenFile?: string | undefined;
}

export interface DatabaseChoice {
  /** As the user wrote it. */
  readonly url: string;
  /** Where requests go. */
  readonly origin: string;
  /** `staging`, when an environment of the project was named. */
  readonly environment: string | undefined;
}

/**
 * The first that is given: `--database-url`, `--env`, `SVC_DATABASE_URL`, `SVC_ENV`, the project's own. Flags that name two databases are
 * refused.
 */
export function chooseDatabase(
  config: ProjectConfig,
  flags: DatabaseFlags,
  variables: Environment,
): DatabaseChoice {
  if (flags.databaseUrl !== undefined && flags.env !== undefined) {
    throw usageFailure('--database-url and --env name two databases: give one of them');
  }
  if (flags.databaseUrl !== undefined) return choice(flags.databaseUrl, '--database-url');
  if (flags.env !== undefined) return named(config, flags.env, '--env');
  const url = variables['SVC_DATABASE_URL'];
  if (url) return choice(url, 'SVC_DATABASE_URL');
  const environment = variables['SVC_ENV'];
  if (environment) return named(config, environment, 'SVC_ENV');
  if (config.databaseUrl !== undefined) return choice(config.databaseUrl, 'database_url');
  throw usageFailure(
    `which database? --env names one of ${[...config.environments.keys()].join(', ')}`,
  );
}

function named(config: ProjectConfig, name: string, source: string): DatabaseChoice {
  const url = config.environments.get(name);
  if (url !== undefined) return choice(url, source, name);
  const names = [...config.environments.keys()];
  const known = names.length === 0 ? 'names none' : `names ${names.join(', ')}`;
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
  { accessTokenFile }: DatabaseFlags,
  { env, world }: Shell,
): Connection {
  const tokenFile = accessTokenFile ?? (env['SVC_ACCESS_TOKEN_FILE'] || undefined);
  return new Connection({ origin, scheduler: world.scheduler, tokenFile });
}
