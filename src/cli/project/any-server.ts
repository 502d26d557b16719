/** Servers that commands look at without a project: the one that a flag or a variable names, that of a project that is here, or the one on this machine. */

import { existsSync } from 'node:fs';
import { Connection } from '#client';
import type { Shell } from '../frame/shell.ts';
import { configFile, type ProjectConfig, readConfig } from './config.ts';
import { chooseDatabase, type DatabaseFlags } from './database-choice.ts';

interface ServerFlags extends DatabaseFlags {
  readonly config?: string | undefined;
  readonly accessTokenFile?: string | undefined;
}

interface AnyServer {
  /** As the user wrote it. */
  readonly url: string;
  readonly connection: Connection;
}

const defaultDatabase = 'svc://127.0.0.1:7237';

export function anyServer({ env, world }: Shell, flags: ServerFlags): AnyServer {
  const { url, origin } = chooseDatabase(projectOf(flags), flags, env);
  const tokenFile = flags.accessTokenFile ?? (env['SVC_ACCESS_TOKEN_FILE'] || undefined);
  const token = tokenFile === undefined ? {} : { tokenFile };
  return { url, connection: new Connection({ origin, scheduler: world.scheduler, ...token }) };
}

function projectOf({ config }: ServerFlags): ProjectConfig {
  if (config !== undefined || existsSync(configFile)) return readConfig(config ?? configFile);
  return {
    path: '',
    root: '',
    databaseUrl: defaultDatabase,
    environments: new Map(),
    targets: () => [],
  };
}
