/** The comparison of a database with the schema file of its project, with which `diff`, `check` and `migrate` begin. */

import type { SchemaDiff } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { Shell } from '../frame/shell.ts';
import { fileHistory } from '../project/file-history.ts';
import { sayClashes } from '../project/id-clash.ts';
import type { Project } from '../project/open-project.ts';
import type { DesiredSchema } from '../project/schema-file.ts';
import { type DatabaseState, databaseState, standingOf } from '../project/standing.ts';
import { acquaintance, unknownSchema } from '../project/stranger.ts';

export interface Comparison {
  readonly project: Project;
  readonly desired: DesiredSchema;
  readonly state: DatabaseState;
  readonly diff: SchemaDiff;
  /** The project has never seen the schema of the database, which is adopted. */
  readonly isUnknown: boolean;
}

/** At a schema that moves. */
const looksMax = 5;

/**
 * Looks again when a transition ended or a colleague migrated between the schema and the difference. Throws when the project has never seen the schema of the
 * database, unless that is adopted.
 */
export async function compare(shell: Shell, project: Project, adopts = false): Promise<Comparison> {
  const desired = project.readSchema();
  for (const warning of desired.warnings) shell.note(`warning: ${warning}\n`);
  for (let look = 1; ; look++) {
    const state = await databaseState(project, shell);
    const isUnknown = standingOf(project, state, desired.hash) === 'unknown';
    if (isUnknown && !adopts) throw unknownSchema(project, state, desired.catalog);
    if (look === 1) {
      for (const line of acquaintance(project, state)) shell.note(line);
      sayClashes(shell, project, state.catalog, desired.catalog);
    }
    const diff = await project.api.diff(desired.text);
    if (diff.current_hash === state.hash) return { project, desired, state, diff, isUnknown };
    if (look === looksMax) throw moved();
  }
}

/** A schema that is adopted is still somebody else's: to adopt it says whose file counts, not that all may go. */
export function sidesOf({ project, desired, state }: Comparison) {
  return {
    current: state.catalog,
    desired: desired.catalog,
    history: fileHistory(project, state, desired.hash),
    origins: project.origins,
  };
}

function moved(): CommandFailure {
  return new CommandFailure({
    code: 'schema_changed_meanwhile',
    message: 'the schema of the database changed while it was compared',
    hint: 'try again: nothing was changed',
    exitCode: exitCodes.conflict,
  });
}
