/**
 * The schemas that the schema file has had, as far as the project has recorded them: those of this copy of the project, and those that led to the accepted
 * schema that the file has now. An object of a database that is in none of them was made by another developer.
 */

import { type Catalog, schemaHash } from '#catalog';
import { startOfHash } from './accepted.ts';
import type { Project } from './open-project.ts';
import { liesBetween, wasTakenBack } from './pending.ts';
import { type DatabaseState, takenBackFrom } from './schema-state.ts';

/** Maximum number of earlier schemas that led to that of the file and are searched, nearest first. */
const formerMax = 64;

export interface FileHistory {
  /**
   * Whether the file once had exactly the schema of the database, and no other developer reverted the database to it. Every difference was then made in the
   * file since, or is already confirmed.
   */
  readonly hadWhole: boolean;
  /** Returns whether any schema of the file satisfies `has`. */
  had(has: (schema: Catalog) => boolean): boolean;
  /**
   * Whether the project has no record of the database, and no accepted schema precedes the schema of the database in the lineage. Another project may have the
   * same schema, for example from the same starter.
   */
  readonly mayBeAnothers: boolean;
  /** The newest recorded schema of this database that was also a schema of the file; `undefined` if there is none. */
  readonly met: Catalog | undefined;
}

export function fileHistory(
  project: Project,
  state: DatabaseState,
  desiredHash: string,
): FileHistory {
  const { accepted, held, lineage, met, pending, seen } = project;
  const { databaseId, hash, catalog } = state;
  const starts = [...held.starts(), ...lineage.before(desiredHash).slice(0, formerMax)];
  const migration = databaseId === undefined ? undefined : pending.of(databaseId);
  // The changes that the file's own migration undoes were confirmed when it was sent.
  const wasAgreed =
    migration !== undefined &&
    !wasTakenBack(migration, state) &&
    schemaHash(migration.to) === desiredHash &&
    liesBetween(migration, catalog);
  const versions = databaseId === undefined ? [] : seen.of(databaseId);
  const last = versions.findLast(({ hashStart }) => starts.includes(hashStart));
  const isTakenBack = takenBackFrom(project, state) !== undefined;
  const find = (start: string) => accepted.startingWith(start)?.catalog;
  return {
    hadWhole: (starts.includes(startOfHash(hash)) && !isTakenBack) || wasAgreed,
    mayBeAnothers:
      databaseId !== undefined &&
      !met.has(databaseId) &&
      migration === undefined &&
      lineage.before(hash).length === 0,
    had: (has) =>
      (migration !== undefined && has(migration.to)) ||
      starts.some((start) => {
        const former = find(start);
        return former !== undefined && has(former);
      }),
    met: last && find(last.hashStart),
  };
}
