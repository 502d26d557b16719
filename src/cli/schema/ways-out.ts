/** What to do about work and rows that stand in the way of a schema file. */

import { isTerminal, type SchemaDiff, type SchemaFinding, type Transition } from '#client';
import type { Shell } from '../frame/shell.ts';
import type { Project } from '../project/open-project.ts';
import { subject } from './transitions/show-transition.ts';

type Suggest = Project['suggest'];

const workKind = 'active_schema_transition_conflict';
const dependencyKind = 'column_replacement_dependency';

/** Whether the rows are all that stands in the way. */
export function isAboutRows(blocking: readonly SchemaFinding[]): boolean {
  return blocking.every(({ kind }) => kind !== workKind && kind !== dependencyKind);
}

/** One for each reason why a migration cannot be applied. */
export function waysOut(blocking: readonly SchemaFinding[], suggest: Suggest): readonly string[] {
  const has = (wanted: string) => blocking.some(({ kind }) => kind === wanted);
  const list = suggest('schema transitions list');
  const cancel = suggest('schema transitions cancel');
  return [
    ...(has(workKind)
      ? [`wait for the work that is under way, which \`${list}\` shows; \`${cancel}\` gives it up`]
      : []),
    ...(has(dependencyKind)
      ? ['change the file: section 4 of `svc docs migrations` says in which steps the column goes']
      : []),
    ...(blocking.some((finding) => isAboutRows([finding]))
      ? [
          `mend the rows: as they are, the migration cannot be applied; \`${suggest('schema diff')}\` looks again`,
        ]
      : []),
  ];
}

/** Work that goes on at a database which has the schema of the file leads away from that, such as after a change was taken out of the file again. */
export function leadsAway(transition: Transition, suggest: Suggest): string {
  const { transition_id: id } = transition;
  const cancel = suggest(`schema transitions cancel ${id}`);
  return `${subject(transition)} is being changed, which the file does not ask for: \`${cancel}\` gives it up`;
}

/** Nothing where the file and the database differ: the difference tells of work that is in its way. */
export async function sayWhatLeadsAway(
  shell: Shell,
  { api, suggest }: Project,
  { changes }: SchemaDiff,
): Promise<void> {
  if (changes.length > 0) return;
  for (const transition of await api.transitions()) {
    if (!isTerminal(transition)) shell.note(leadsAway(transition, suggest));
  }
}
