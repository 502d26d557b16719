/**
 * What the schema file has had, as far as the project remembers: the schemas that this copy had in it, and those that led to the accepted
 * schema which the file is now. What a database has beside these was made by somebody else.
 */

import { type Catalog, schemaHash } from '#catalog';
import { startOfHash } from './accepted.ts';
import type { Project } from './open-project.ts';
import { liesBetween, wasTakenBack } from './pending.ts';
import { type DatabaseState, takenBackFrom } from './standing.ts';

/** Schemas that led to that of the file and are looked at, the nearest first. */
const formerMax = 64;

export interface FileHistory {
  /** The file had exactly what the database has, and nobody took the database back to that: every difference was made in the file since, or is agreed to already. */
  readonly hadWhole: boolean;
  /** Whether the file ever had something. */
  had(has: (schema: Catalog) => boolean): boolean;
  /**
   * The project has not met the database, and knows its schema only as one that it began with: that of another project may be the same, made
   * from the same starter, say.
   */
  readonly mayBeAnothers: boolean;
  /** The last schema of this very database that the file had, too; undefined when there is none. */
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
  // What the file's own migration undoes was asked about when that was sent.
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
