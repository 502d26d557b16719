/**
 * Prepares the texts that a commit of a changed catalog writes and hashes, a few tables at a time. The texts are cached per table record. For a catalog of
 * thousands of new tables, the commit itself then only concatenates cached texts.
 */

import type { Steps, YieldPolicy } from '#base';
import { ownMembers, schemaHash } from '../rendering/canonical.ts';
import type { Catalog } from '../table.ts';
import { textOfTable } from './catalog-record.ts';

/** Work per table and per column, measured in rows. */
const tableWork = 32;
const columnWork = 4;

/** Prepares the texts of all tables of `catalogs`. Yields if `pace` requests a pause. */
export function* renderAheadSteps(catalogs: readonly Catalog[], pace: YieldPolicy): Steps<void> {
  for (const catalog of catalogs) {
    for (const table of catalog.tables) {
      textOfTable(table);
      ownMembers(table);
      const wait = pace.pause(tableWork + columnWork * table.columns.length);
      if (wait !== undefined) yield wait;
    }
    schemaHash(catalog);
    const wait = pace.pause(Number.POSITIVE_INFINITY);
    if (wait !== undefined) yield wait;
  }
}
