/** Servers that commands look at without a project: the one that a flag or a variable names, that of a project that is here, or the one on this machine. */

import { existsSync } from 'node:fs';
import type { Connection } from '#client';
import type { Shell } from '../frame/shell.ts';
import { configFile, defaultUrl, type ProjectConfig, readConfig } from './config.ts';
import { chooseDatabase, connectionTo, type DatabaseFlags } from './database-choice.ts';

interface ServerFlags extends DatabaseFlags {
  readonly config?: string | undefined;
}

interface AnyServer {
  /** As the user wrote it. */
  readonly url: string;
  readonly connection: Connection;
}

export function anyServer(shell: Shell, flags: ServerFlags): AnyServer {
  const database = chooseDatabase(projectOf(flags), flags, shell.env);
  return { url: database.url, connection: connectionTo(database, flags, shell) };
}

function projectOf({ config }: ServerFlags): ProjectConfig {
  if (config !== undefined || existsSync(configFile)) return readConfig(config ?? configFile);
  return {
    path: '',
    root: '',
    databaseUrl: defaultUrl,
    environments: new Map(),
    targets: () => [],
  };
}
