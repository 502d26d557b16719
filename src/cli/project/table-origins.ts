/**
 * Decides whether the names that accepted schemas give to one table id belong to one table that was renamed, or to several tables, since databases of a project
 * assign ids independently. Two names belong to one table if the lineage leads from a schema with the first name to a schema with the second.
 */

import { type Catalog, tableById } from '#catalog';
import type { AcceptedSchemas } from './accepted.ts';
import type { Lineage } from './lineage.ts';

export class TableOrigins {
  private readonly accepted: AcceptedSchemas;
  private readonly lineage: Lineage;

  constructor(accepted: AcceptedSchemas, lineage: Lineage) {
    this.accepted = accepted;
    this.lineage = lineage;
  }

  /** Returns the names of the tables that had this id, in one group for each table. */
  of(id: number): readonly ReadonlySet<string>[] {
    const nameIn = (catalog: Catalog | undefined) => catalog && tableById(catalog, id)?.name;
    const names = this.accepted.all().flatMap(({ catalog }) => nameIn(catalog) ?? []);
    let groups = [...new Set(names)].map((name) => new Set([name]));
    if (groups.length < 2) return groups;
    for (const [after, former] of this.lineage.steps()) {
      const linked = [after, former].map((start) =>
        nameIn(this.accepted.startingWith(start)?.catalog),
      );
      const joined = groups.filter((group) => linked.some((name) => name && group.has(name)));
      if (joined.length < 2) continue;
      const one = new Set(joined.flatMap((group) => [...group]));
      groups = [...groups.filter((group) => !joined.includes(group)), one];
    }
    return groups;
  }

  /**
   * Returns whether a table with this id that is called `one` in one schema and `other` in another is more than one table, as far as the project has recorded
   * it.
   */
  areTwo(id: number, one: string, other: string): boolean {
    if (one === other) return false;
    const groups = this.of(id);
    return groups.length > 1 && !groups.some((group) => group.has(one) && group.has(other));
  }
}
