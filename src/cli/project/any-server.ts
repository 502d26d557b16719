/** The server of a command that needs no project: the one of a flag or a variable, that of a project in the current directory, or the one on this machine. */

import { existsSync } from 'node:fs';
import type { Connection } from '#client';
import type { Shell } from '../frame/shell.ts';
import { configFile, defaultUrl, type ProjectConfig, readConfig } from './config.ts';
import {
  chooseDatabase,
  connectionTo,
  type DatabaseChoice,
  type DatabaseFlags,
} from './database-choice.ts';

export interface ServerFlags extends DatabaseFlags {
  readonly config?: string | undefined;
}

interface AnyServer {
  /** The URL as the user wrote it. */
  readonly url: string;
  readonly database: DatabaseChoice;
  readonly connection: Connection;
}

export function anyServer(shell: Shell, flags: ServerFlags): AnyServer {
  const database = chooseDatabase(projectOf(flags), flags, shell.env);
  return { url: database.url, database, connection: connectionTo(database, flags, shell) };
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
