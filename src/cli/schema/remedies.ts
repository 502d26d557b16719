/** Remedies for transitions and rows that prevent a migration to a schema file. */

import { isTerminal, type SchemaDiff, type WireDiffFinding, type WireTransition } from '#client';
import type { Shell } from '../frame/shell.ts';
import type { Project } from '../project/open-project.ts';
import { subject } from './transitions/show-transition.ts';

type Suggest = Project['suggest'];

const workKind = 'active_schema_transition_conflict';
const dependencyKind = 'column_replacement_dependency';

/** Returns whether rows are the only obstacle. */
export function isAboutRows(blocking: readonly WireDiffFinding[]): boolean {
  return blocking.every(({ kind }) => kind !== workKind && kind !== dependencyKind);
}

/** Returns one remedy for each kind of obstacle. */
export function remediesFor(
  blocking: readonly WireDiffFinding[],
  suggest: Suggest,
): readonly string[] {
  const has = (wanted: string) => blocking.some(({ kind }) => kind === wanted);
  const list = suggest('schema transitions list');
  const cancel = suggest('schema transitions cancel');
  return [
    ...(has(workKind)
      ? [
          `wait for the transitions in progress, which \`${list}\` shows, or cancel them with \`${cancel}\``,
        ]
      : []),
    ...(has(dependencyKind)
      ? [
          'change the file: section 4 of `svc docs migrations` lists the steps for a column that a key uses',
        ]
      : []),
    ...(blocking.some((finding) => isAboutRows([finding]))
      ? [
          `correct the rows, because the migration cannot be applied to them; \`${suggest('schema diff')}\` checks again`,
        ]
      : []),
  ];
}

/**
 * Returns the hint to cancel a transition of a database that already has the schema of the file. The transition changes it to another schema, for example
 * because a change was removed from the file again.
 */
export function cancelHint(transition: WireTransition, suggest: Suggest): string {
  const { transition_id: id } = transition;
  const cancel = suggest(`schema transitions cancel ${id}`);
  return `${subject(transition)} is being changed, but the schema file does not request that; cancel it with \`${cancel}\``;
}

/** Reports such transitions if the file equals the database. Otherwise, the diff already lists transitions that conflict with it. */
export async function printCancelHint(
  shell: Shell,
  { api, suggest }: Project,
  { changes }: SchemaDiff,
): Promise<void> {
  if (changes.length > 0) return;
  for (const transition of await api.transitions()) {
    if (!isTerminal(transition)) shell.note(cancelHint(transition, suggest));
  }
}
