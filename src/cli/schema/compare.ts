/** Compares a database with the schema file of its project. `diff`, `check` and `migrate` start with this comparison. */

import type { SchemaDiff } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { Shell } from '../frame/shell.ts';
import { fileHistory } from '../project/file-history.ts';
import { sayClashes } from '../project/id-clash.ts';
import type { Project } from '../project/open-project.ts';
import { policyStandingOf, unknownPolicies } from '../project/policy-state.ts';
import type { DesiredSchema } from '../project/schema-file.ts';
import { type DatabaseState, databaseState, schemaStateOf } from '../project/schema-state.ts';
import { databaseNotes, unknownSchema } from '../project/unknown-schema.ts';

export interface Comparison {
  readonly project: Project;
  readonly desired: DesiredSchema;
  readonly state: DatabaseState;
  readonly diff: SchemaDiff;
  /** Whether the project has not recorded the schema of the database, and `--adopt` replaces it. */
  readonly isUnknown: boolean;
  /** Whether the project has not recorded the policies of the database, and `--adopt` replaces them. */
  readonly hasUnknownPolicies: boolean;
}

/** Maximum number of attempts if the schema keeps changing. */
const looksMax = 5;

/**
 * Repeats the comparison if a transition ended or another developer migrated between reading the schema and the diff. Throws if the project has not recorded
 * the schema of the database, unless `adopts` is set.
 */
export async function compare(shell: Shell, project: Project, adopts = false): Promise<Comparison> {
  const desired = project.readSchema();
  for (const warning of desired.warnings) shell.note(`warning: ${warning}\n`);
  for (let look = 1; ; look++) {
    const state = await databaseState(project, shell);
    const isUnknown = schemaStateOf(project, state, desired.hash) === 'unknown';
    if (isUnknown && !adopts) throw unknownSchema(project, state, desired.catalog);
    const hasUnknownPolicies = policyStandingOf(project, state, desired.policies) === 'unknown';
    if (hasUnknownPolicies && !adopts) throw unknownPolicies(project, state);
    if (look === 1) {
      for (const line of databaseNotes(project, state)) shell.note(line);
      sayClashes(shell, project, state.catalog, desired.catalog);
    }
    const diff = await project.api.diff(desired.text);
    const { current_policy_hash: policyHash = state.policyHash } = diff;
    if (diff.current_hash === state.hash && policyHash === state.policyHash) {
      return { project, desired, state, diff, isUnknown, hasUnknownPolicies };
    }
    if (look === looksMax) throw moved();
  }
}

/**
 * Returns the two schemas and the history of the file. An adopted schema still counts as made by another developer: `--adopt` makes the file authoritative, but
 * does not confirm every deletion.
 */
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
    hint: 'nothing was changed; try again',
    exitCode: exitCodes.conflict,
  });
}
