/**
 * What a commit of a changed catalog writes of each table, and what its hash is made of, is kept by the tables themselves. A catalog of thousands of tables that
 * are new to it is gone through here first, a few tables at a time, so that writing and hashing it is putting texts together.
 */

import type { Pace, Steps } from '#base';
import { ownMembers, schemaHash } from '../rendering/canonical.ts';
import type { Catalog } from '../table.ts';
import { textOfTable } from './catalog-record.ts';

/** In rows of work. */
const tableWork = 32;
const columnWork = 4;

/** Gives way as `pace` demands. */
export function* renderAheadSteps(catalogs: readonly Catalog[], pace: Pace): Steps<void> {
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
