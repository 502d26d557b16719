/** A project and its database, from the flags that all commands on a project share. */

import { relative } from 'node:path';
import { SchemaApi } from '#client';
import { shellWord } from '../frame/complete-commands.ts';
import type { Shell } from '../frame/shell.ts';
import { AcceptedSchemas } from './accepted.ts';
import { configFile, type ProjectConfig, readConfig } from './config.ts';
import {
  chooseDatabase,
  connectionTo,
  type DatabaseChoice,
  type DatabaseFlags,
} from './database-choice.ts';
import { HeldSchemas } from './held-schemas.ts';
import { Lineage } from './lineage.ts';
import { MetDatabases } from './met-databases.ts';
import { ownDatabaseUrl } from './own-database.ts';
import { PendingMigrations } from './pending.ts';
import { type DesiredSchema, readSchemaFile, schemaPathOf } from './schema-file.ts';
import { SeenVersions } from './seen-versions.ts';
import { StateDirectory } from './state-directory.ts';
import { TableOrigins } from './table-origins.ts';

export interface ProjectFlags extends DatabaseFlags {
  readonly config?: string | undefined;
  readonly file?: string | undefined;
  /** Where what the project remembers of this very database goes, instead of its own state: for a store that goes as well. */
  readonly databaseState?: string | undefined;
  /** Nobody has to be told which database it is: commands that are suggested name it only where they would talk to another one. */
  readonly isKnown?: boolean | undefined;
}

export interface Project {
  readonly config: ProjectConfig;
  readonly database: DatabaseChoice;
  readonly api: SchemaApi;
  readonly state: StateDirectory;
  readonly accepted: AcceptedSchemas;
  readonly pending: PendingMigrations;
  readonly met: MetDatabases;
  readonly seen: SeenVersions;
  readonly lineage: Lineage;
  readonly held: HeldSchemas;
  readonly origins: TableOrigins;
  /** Absolute. */
  readonly schemaPath: string;
  /** As messages name it. */
  readonly schemaShown: string;
  /** Throws a CommandFailure with everything that is wrong. */
  readSchema(): DesiredSchema;
  /** `schema status` as a whole command about this project and database: pasted, it talks to the same one. */
  suggest(words: string): string;
}

/** Says which database it is about. */
export function openProject(shell: Shell, flags: ProjectFlags): Project {
  const config = readConfig(flags.config ?? configFile);
  const database = chooseDatabase(config, flags, shell.env);
  const schemaPath = schemaPathOf(config.root, flags.file);
  const schemaShown = relative(process.cwd(), schemaPath) || '.';
  const state = new StateDirectory(config.root);
  const accepted = new AcceptedSchemas(state);
  const ofDatabase =
    flags.databaseState === undefined ? state : new StateDirectory(flags.databaseState);
  const pending = new PendingMigrations(ofDatabase);
  const lineage = new Lineage(state);
  const given = flags.isKnown
    ? { ...flags, databaseUrl: ownDatabaseUrl(shell, config, database.origin) }
    : flags;
  if (shell.mode === 'text' && !flags.isKnown) shell.say(announcement(database));
  return {
    config,
    database,
    api: new SchemaApi(connectionTo(database, flags, shell)),
    state,
    accepted,
    pending,
    met: new MetDatabases(ofDatabase),
    seen: new SeenVersions(ofDatabase),
    lineage,
    origins: new TableOrigins(accepted, lineage),
    held: new HeldSchemas(state),
    schemaPath,
    schemaShown,
    readSchema: () => readSchemaFile(schemaPath, schemaShown),
    suggest: (words) => suggestion(words, given),
  };
}

/** What variables say holds for a pasted command as well. */
function suggestion(words: string, { config, file, env, databaseUrl }: ProjectFlags): string {
  // Online work is that of the database, whatever the file says.
  const ownFile = words.startsWith('schema transitions') ? undefined : file;
  const given = {
    '--config': config,
    '--file': ownFile,
    '--env': env,
    '--database-url': databaseUrl,
  };
  const flags = Object.entries(given).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, shellWord(value)],
  );
  return ['svc', words, ...flags].join(' ');
}

function announcement({ environment, url }: DatabaseChoice): string {
  return environment === undefined ? `database ${url}` : `database ${environment}: ${url}`;
}
