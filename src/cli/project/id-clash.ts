/**
 * Conflicts of table ids. A table is identified by its id, and each database assigns ids separately. If two databases gave one id to different tables, a file
 * that follows one database identifies a table of the other incorrectly.
 */

import { type Catalog, tableById, tableByName } from '#catalog';
import type { Renumbering } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { Shell } from '../frame/shell.ts';
import type { Project } from './open-project.ts';
import type { DatabaseState } from './schema-state.ts';
import type { TableOrigins } from './table-origins.ts';

/**
 * A table of the database that a migration would confuse with another table. Either its name has another id in the schema file, or its id belongs to a table of
 * different origin there.
 */
export interface IdClash {
  readonly name: string;
  /** Id in the database. */
  readonly there: number;
  /** Id in the schema file. `undefined` if the file does not have the name, and the id in the database belongs to another table of the file. */
  readonly here: number | undefined;
  /** The name that a migration would give to the table of the database, or `undefined` if it would delete the table. */
  readonly becomes: string | undefined;
}

export function idClashes(
  current: Catalog,
  desired: Catalog,
  origins?: TableOrigins,
): readonly IdClash[] {
  return current.tables.flatMap(({ id: there, name }) => {
    const here = tableByName(desired, name)?.id;
    const becomes = tableById(desired, there)?.name;
    if (here === there) return [];
    const isAnothers = becomes !== undefined && origins?.areTwo(there, name, becomes);
    return here !== undefined || isAnothers ? [{ name, there, here, becomes }] : [];
  });
}

export function clashText({ name, there, here, becomes }: IdClash): string {
  if (here === undefined) {
    return `id ${there} is table ${name} in this database and table ${becomes} in the schema file, and no accepted schema of one came from one of the other, so these are two tables: the one in the database would become ${becomes}; see "Resolve table ID conflicts" in \`svc docs projects\``;
  }
  const fate = becomes === undefined ? 'would be deleted' : `would become ${becomes}`;
  return `table ${name} has id ${there} in this database and id ${here} in the schema file, so they count as different tables: the one in the database ${fate}; if they are meant to be one table, see "Resolve table ID conflicts" in \`svc docs projects\``;
}

/** Reports conflicts before the diff is requested. If the server finds no migration to the file, it reports only the obstacles. */
export function sayClashes(
  shell: Shell,
  { origins }: Project,
  current: Catalog,
  desired: Catalog,
): void {
  for (const clash of idClashes(current, desired, origins))
    shell.note(`warning: ${clashText(clash)}`);
}

/**
 * Throws if `pull` would renumber a table that other databases of the project have with the id of the file. A migration of such a database with the renumbered
 * file would rename and delete tables.
 */
export function requireFreeIds(
  project: Project,
  { databaseId, catalog }: DatabaseState,
  file: Catalog,
  { tables }: Renumbering,
): void {
  const others = databaseId === undefined ? [] : project.met.namesBut(databaseId);
  if (others.length === 0) return;
  const found = [...tables].flatMap(([id, free]) => {
    const name = tableById(file, id)?.name ?? '';
    const seenIn = project.accepted.withTable(id, name);
    const other = tableById(catalog, id)?.name ?? '';
    return seenIn === undefined ? [] : [{ id, free, name, other, seenIn }];
  });
  const [first] = found;
  if (first === undefined) return;
  throw new CommandFailure({
    code: 'table_id_taken',
    message: found
      .map(
        ({ id, name, other, seenIn }) =>
          `id ${id} is table ${other} in this database, and table ${name} in ${project.schemaShown} and in a database of this project (${seenIn}; this project has also recorded ${others.join(', ')})`,
      )
      .join('\n'),
    hint: [
      `Nothing was changed: with another id in the file, a migration of that database would confuse its ${first.name} with ${first.other}.`,
      'No schema file matches both databases unchanged; see "Resolve table ID conflicts" in `svc docs projects`.',
    ].join('\n'),
    exitCode: exitCodes.conflict,
    details: {
      tables: found.map(({ id, free, name, other, seenIn }) => ({
        id,
        desired_table: name,
        database_table: other,
        accepted: seenIn,
        free_id: free,
      })),
      databases: others,
    },
  });
}
