/** How the schema of a database stands to a project: whether the project has seen it, so that its file may be compared with it. */

import { type Catalog, declareCatalog, schemaHash } from '#catalog';
import type { SchemaState } from '#client';
import { checkTableDefinition } from '#wire';
import { CommandFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import { onceStarted } from './awaited-start.ts';
import type { Project } from './open-project.ts';
import { liesBetween, wasTakenBack } from './pending.ts';
import type { SeenVersion } from './seen-versions.ts';

export interface DatabaseState {
  /** Undefined on servers of earlier versions. */
  readonly databaseId: string | undefined;
  readonly mode: 'direct' | 'schema';
  readonly version: number;
  readonly hash: string;
  readonly catalog: Catalog;
}

/**
 * `empty`: there is nothing to lose. `desired`: it has the schema of the file. `accepted`: the project has seen it. `under_way`: on its way
 * through a migration of this project. `unknown`: somebody else made it.
 */
export type Standing = 'empty' | 'desired' | 'accepted' | 'under_way' | 'unknown';

/** Throws ServerProblem or Unreachable; a CommandFailure when the address leads to something that changes from one question to the next. */
export async function databaseState({ api }: Project, shell: Shell): Promise<DatabaseState> {
  const { database_id: databaseId, mode } = await onceStarted(shell, () => api.info());
  const state = await api.schema();
  const { schema_version: version, schema_hash: hash } = state;
  return { databaseId, mode, version, hash, catalog: catalogOf(state) };
}

export function standingOf(
  project: Project,
  state: Omit<DatabaseState, 'mode'>,
  desiredHash: string | undefined,
): Standing {
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
 * What the project last saw of a database that has a schema again which it had before: somebody else took back what lay between. Undefined
 * where the schema is new there, or was seen at this very version (the database was restored from a backup, say).
 */
export function takenBackFrom(
  { seen }: Project,
  { databaseId, version, hash }: Pick<DatabaseState, 'databaseId' | 'version' | 'hash'>,
): SeenVersion | undefined {
  return databaseId === undefined ? undefined : seen.cameBackFrom(databaseId, version, hash);
}

/** From the document of an answer to a catalog, checked by the hash that the server names. */
export function catalogOf({ schema, schema_hash: hash }: SchemaState): Catalog {
  const catalog = declareCatalog(
    schema.tables.map((table) => ({ id: table.id, ...checkTableDefinition(table) })),
  );
  if (schemaHash(catalog) === hash) return catalog;
  throw new CommandFailure({
    code: 'schema_unreadable',
    message: 'the schema that the server shows does not have the hash that it names',
    hint: 'is the server of another version than this command?',
  });
}
