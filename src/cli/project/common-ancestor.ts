/**
 * The schema that both the file and the database grew from, as far as that can be told. A wrong guess must not lose anything: what an ancestor
 * has and one of the two has not counts as deleted there.
 */

import { type Catalog, emptyCatalog } from '#catalog';
import { planMigration } from '#schema';
import { type AcceptedSchema, startOfHash } from './accepted.ts';
import type { Project } from './open-project.ts';
import type { DatabaseState } from './standing.ts';

/** Accepted schemas that are tried. */
const triedMax = 16;
/** Of two guesses, the one that deletes less is believed sooner. */
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

/** Of schemas that this database was not seen with. A database counts upwards: what had its version or a higher one, and is another schema, is of another database, or of a life before a restore. */
function mayBeAncestor(schema: AcceptedSchema, { version, hash }: DatabaseState): boolean {
  return schema.hash === hash || schema.version < version;
}

function distanceOf(from: Catalog, to: Catalog): number {
  const { changes, difference } = planMigration(from, to, () => false);
  // An index goes with its column, and comes back from nothing.
  const deletions = changes.filter(
    ({ kind }) => kind === 'delete_table' || kind === 'delete_column',
  ).length;
  const others = changes.length - deletions;
  return others + deletions * deletionCost + difference.rejections.length * impossibleCost;
}

/** There is no way from the first to the second: then it is no ancestor. */
function rejectionsOf(from: Catalog, to: Catalog): number {
  return planMigration(from, to, () => false).difference.rejections.length;
}
