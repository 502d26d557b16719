/** The state of the schema of a database in a project. Only a schema that the project has recorded may be compared with the file. */

import { type Catalog, declareCatalog, schemaHash } from '#catalog';
import type { SchemaState } from '#client';
import { checkTableDefinition } from '#wire';
import { CommandFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import { onceStarted } from './awaited-start.ts';
import type { Project } from './open-project.ts';
import { liesBetween, wasTakenBack } from './pending.ts';
import { type DatabasePolicies, policiesOf } from './policy-state.ts';
import type { SeenVersion } from './seen-versions.ts';

export interface DatabaseState extends DatabasePolicies {
  /** Identity of the database; `undefined` if the server has an earlier version, which reports none. */
  readonly databaseId: string | undefined;
  readonly mode: 'direct' | 'schema';
  readonly version: number;
  readonly hash: string;
  readonly catalog: Catalog;
}

/**
 * `empty`: the database has no tables to lose. `desired`: it has the schema of the file. `accepted`: the project has recorded its schema. `under_way`: a
 * migration of this project is in progress. `unknown`: the project has not recorded the schema.
 */
export type ProjectSchemaState = 'empty' | 'desired' | 'accepted' | 'under_way' | 'unknown';

/**
 * Reads the state of the database. Throws ServerProblem or Unreachable, or a CommandFailure if the responses do not match, for example because the address
 * leads to different servers.
 */
export async function databaseState({ api }: Project, shell: Shell): Promise<DatabaseState> {
  const { database_id: databaseId, mode } = await onceStarted(shell, () => api.info());
  const state = await api.schema();
  const { schema_version: version, schema_hash: hash } = state;
  const catalog = catalogOf(state);
  return { databaseId, mode, version, hash, catalog, ...policiesOf(state, catalog) };
}

export function schemaStateOf(
  project: Project,
  state: Omit<DatabaseState, 'mode' | keyof DatabasePolicies>,
  desiredHash: string | undefined,
): ProjectSchemaState {
  const { databaseId, version, hash, catalog } = state;
  if (hash === desiredHash) return 'desired';
  if (catalog.tables.length === 0) return 'empty';
  const migration = databaseId === undefined ? undefined : project.pending.of(databaseId);
  if (migration !== undefined && wasTakenBack(migration, { version, hash })) return 'unknown';
  if (project.accepted.has(hash, catalog) && takenBackFrom(project, state) === undefined) {
    return 'accepted';
  }
  const isOurs = migration !== undefined && liesBetween(migration, catalog);
  return isOurs ? 'under_way' : 'unknown';
}

/**
 * Returns the last recorded version of a database that has an earlier schema again, because another developer reverted the changes between. Returns `undefined`
 * if the schema is new for this database, or was recorded at this very version, for example because the database was restored from a backup.
 */
export function takenBackFrom(
  { seen }: Project,
  { databaseId, version, hash }: Pick<DatabaseState, 'databaseId' | 'version' | 'hash'>,
): SeenVersion | undefined {
  return databaseId === undefined ? undefined : seen.cameBackFrom(databaseId, version, hash);
}

/** Converts a response to a catalog and checks it against the hash in the response. */
export function catalogOf({ schema, schema_hash: hash }: SchemaState): Catalog {
  const catalog = declareCatalog(
    schema.tables.map((table) => ({ id: table.id, ...checkTableDefinition(table) })),
  );
  if (schemaHash(catalog) === hash) return catalog;
  throw new CommandFailure({
    code: 'schema_unreadable',
    message: 'the schema in the response of the server does not match its hash',
    hint: 'the server may have another version than this command',
  });
}
