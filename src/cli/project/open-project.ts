/** Opens a project and its database from the flags that all project commands share. */

import { relative } from 'node:path';
import { SchemaApi } from '#client';
import { shellWord } from '../frame/complete-commands.ts';
import type { Shell } from '../frame/shell.ts';
import { AcceptedSchemas } from './accepted.ts';
import { AcceptedPolicies } from './accepted-policies.ts';
import { configFile, type ProjectConfig, readConfig } from './config.ts';
import {
  announcement,
  chooseDatabase,
  connectionTo,
  type DatabaseChoice,
  type DatabaseFlags,
} from './database-choice.ts';
import { Lineage } from './lineage.ts';
import { LocalSchemas } from './local-schemas.ts';
import { ownDatabaseUrl } from './own-database.ts';
import { PendingMigrations } from './pending.ts';
import { RecordedDatabases } from './recorded-databases.ts';
import { type DesiredSchema, readSchemaFile, schemaPathOf } from './schema-file.ts';
import { SeenVersions } from './seen-versions.ts';
import { StateDirectory } from './state-directory.ts';
import { TableOrigins } from './table-origins.ts';

export interface ProjectFlags extends DatabaseFlags {
  readonly config?: string | undefined;
  readonly file?: string | undefined;
  /**
   * A directory for the records about this database, instead of the state directory of the project. The directory is used for a temporary store
   * and is deleted with it.
   */
  readonly databaseState?: string | undefined;
  /** Whether the user already knows which database is addressed. Suggested commands then name it only if they would address another one. */
  readonly isKnown?: boolean | undefined;
}

export interface Project {
  readonly config: ProjectConfig;
  readonly database: DatabaseChoice;
  readonly api: SchemaApi;
  readonly state: StateDirectory;
  readonly accepted: AcceptedSchemas;
  readonly policies: AcceptedPolicies;
  readonly pending: PendingMigrations;
  readonly met: RecordedDatabases;
  readonly seen: SeenVersions;
  readonly lineage: Lineage;
  readonly held: LocalSchemas;
  readonly origins: TableOrigins;
  /** Absolute path. */
  readonly schemaPath: string;
  /** The path in the form for messages. */
  readonly schemaShown: string;
  /** Reads the schema file. Throws a CommandFailure with all errors. */
  readSchema(): DesiredSchema;
  /** Completes `words`, such as `schema status`, to a command for this project and database that can be pasted. */
  suggest(words: string): string;
}

/** Opens a project and reports its database. */
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
    policies: new AcceptedPolicies(state),
    pending,
    met: new RecordedDatabases(ofDatabase),
    seen: new SeenVersions(ofDatabase),
    lineage,
    origins: new TableOrigins(accepted, lineage),
    held: new LocalSchemas(state),
    schemaPath,
    schemaShown,
    readSchema: () => readSchemaFile(schemaPath, schemaShown),
    suggest: (words) => suggestion(words, given),
  };
}

/** Completes a command with flags. Variables need no flag because they also apply to the pasted command. */
function suggestion(words: string, { config, file, env, databaseUrl }: ProjectFlags): string {
  // Transitions belong to the database, so the schema file has no effect on them.
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
