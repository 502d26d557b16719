/** A project and its server, from the flags that all commands on a project share. */

import { join, relative, resolve } from 'node:path';
import { Connection, SchemaApi } from '#client';
import type { Shell } from '../frame/shell.ts';
import { AcceptedState } from './accepted.ts';
import { configFile, type ProjectConfig, readConfig } from './config.ts';
import { type DesiredSchema, readSchemaFile, schemaFile } from './schema-file.ts';

export interface ProjectFlags {
  readonly config?: string | undefined;
  readonly file?: string | undefined;
  readonly accessTokenFile?: string | undefined;
}

export interface Project {
  readonly config: ProjectConfig;
  readonly api: SchemaApi;
  readonly accepted: AcceptedState;
  /** Absolute. */
  readonly schemaPath: string;
  /** As messages name it. */
  readonly schemaShown: string;
  /** Throws a CommandFailure with everything that is wrong. */
  readSchema(): DesiredSchema;
}

/** Says which database it is about. */
export function openProject(shell: Shell, flags: ProjectFlags): Project {
  const config = readConfig(flags.config ?? configFile);
  const tokenFile = flags.accessTokenFile ?? (shell.env['SVC_ACCESS_TOKEN_FILE'] || undefined);
  const token = tokenFile === undefined ? {} : { tokenFile };
  const schemaPath = flags.file === undefined ? join(config.root, schemaFile) : resolve(flags.file);
  const schemaShown = relative(process.cwd(), schemaPath);
  if (shell.mode === 'text') shell.say(`database ${config.databaseUrl}`);
  return {
    config,
    api: new SchemaApi(
      new Connection({ origin: config.origin, scheduler: shell.world.scheduler, ...token }),
    ),
    accepted: new AcceptedState(config.root),
    schemaPath,
    schemaShown,
    readSchema: () => readSchemaFile(schemaPath, schemaShown),
  };
}
