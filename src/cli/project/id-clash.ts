/**
 * One table name under two ids. Tables are the same by id, and an id is that of one database: where two databases gave one id to different
 * tables, a file that follows the one takes the other's table for something else.
 */

import { type Catalog, tableById, tableByName } from '#catalog';
import type { Renumbering } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { Shell } from '../frame/shell.ts';
import type { Project } from './open-project.ts';
import type { DatabaseState } from './standing.ts';
import type { TableOrigins } from './table-origins.ts';

/** A table of the database that a migration takes for another one: its name has another id in the schema file, or its id is that of a table of another origin there. */
export interface IdClash {
  readonly name: string;
  /** In the database. */
  readonly there: number;
  /** In the schema file; undefined when the name is not there, and the id is another table's. */
  readonly here: number | undefined;
  /** What a migration makes of the database's table: its new name, undefined when it goes. */
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
  return `table ${name} has id ${there} in this database and id ${here} in the schema file, so the two count as different tables: the one in the database ${fate}; if they are meant to be one table, see "Resolve table ID conflicts" in \`svc docs projects\``;
}

/** Told before a difference is asked for: a server may find no way to the file at all, and say only what stands in the way. */
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
 * Throws when `pull` would give another id to a table that other databases of the project know under the one in the file: migrated there,
 * such a file renames and deletes.
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
          `id ${id} is table ${other} in this database, and table ${name} in ${project.schemaShown} and in a database of this project (${seenIn}; this project has also met ${others.join(', ')})`,
      )
      .join('\n'),
    hint: [
      `Nothing was changed: with another id in the file, a migration of that database would take its ${first.name} for ${first.other}.`,
      'No file fits both as they are; the ways out are in `svc docs projects`, "Resolve table ID conflicts".',
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
