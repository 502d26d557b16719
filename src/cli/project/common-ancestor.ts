/**
 * Finds the schema that both the file and the database derive from, as far as the project can determine it. A wrong guess must not cause a loss: an object of
 * the ancestor that the file or the database lacks counts as deleted there.
 */

import { type Catalog, emptyCatalog } from '#catalog';
import { planMigration } from '#schema';
import { type AcceptedSchema, startOfHash } from './accepted.ts';
import type { Project } from './open-project.ts';
import type { DatabaseState } from './schema-state.ts';

/** Maximum number of accepted schemas that are tried. */
const triedMax = 16;
/** Cost of a deletion. The guess with fewer deletions is preferred. */
const deletionCost = 3;
const impossibleCost = 1000;

export function commonAncestor(
  { accepted, seen }: Project,
  file: Catalog,
  state: DatabaseState,
): Catalog {
  const { databaseId } = state;
  const before = (databaseId === undefined ? [] : seen.of(databaseId))
    .filter(({ version }) => version < state.version)
    .map(({ hashStart }) => hashStart);
  let best: { readonly catalog: Catalog; readonly distance: number } | undefined;
  const seenLast = before.slice(-1).flatMap((start) => accepted.startingWith(start) ?? []);
  for (const schema of [...seenLast, ...accepted.newestFirst(triedMax)]) {
    if (!before.includes(startOfHash(schema.hash)) && !mayBeAncestor(schema, state)) continue;
    const { catalog } = schema;
    const impossible = rejectionsOf(catalog, state.catalog) * impossibleCost;
    const distance = distanceOf(catalog, file) + impossible;
    if (best === undefined || distance < best.distance) best = { catalog, distance };
  }
  return best?.catalog ?? emptyCatalog;
}

/**
 * Returns whether a schema that is not recorded for this database can be an ancestor of its schema. A database counts versions upward. A different schema with
 * its version or a higher one therefore belongs to another database, or to a time before a restore.
 */
function mayBeAncestor(schema: AcceptedSchema, { version, hash }: DatabaseState): boolean {
  return schema.hash === hash || schema.version < version;
}

function distanceOf(from: Catalog, to: Catalog): number {
  const { changes, difference } = planMigration(from, to, () => false);
  // An index is deleted together with its column and can be rebuilt, so it does not count.
  const deletions = changes.filter(
    ({ kind }) => kind === 'delete_table' || kind === 'delete_column',
  ).length;
  const others = changes.length - deletions;
  return others + deletions * deletionCost + difference.rejections.length * impossibleCost;
}

/** Returns the number of changes that no migration can make. With any, the first schema is unlikely to be an ancestor. */
function rejectionsOf(from: Catalog, to: Catalog): number {
  return planMigration(from, to, () => false).difference.rejections.length;
}
