/** What makes one schema of another, in words for people: no migration, so that nothing is started or validated. */

import { type Catalog, tableById } from '#catalog';
import { planMigration } from '#schema';

interface DifferenceWords {
  readonly changes: readonly string[];
  /** What no migration can do in one step. */
  readonly rejections: readonly string[];
}

export function differenceWords(from: Catalog, to: Catalog): DifferenceWords {
  const { changes, difference } = planMigration(from, arranged(to, from), () => false);
  return {
    changes: changes.map(({ summary }) => stated(summary)),
    rejections: difference.rejections,
  };
}

/** Columns in the order of the other schema, new ones last: where they stand in a file is no difference to tell. */
function arranged(catalog: Catalog, like: Catalog): Catalog {
  const tables = catalog.tables.map((table) => {
    const order = tableById(like, table.id)?.columns.map(({ id }) => id) ?? [];
    const placeOf = ({ id }: { readonly id: number }) =>
      order.includes(id) ? order.indexOf(id) : order.length;
    return { ...table, columns: table.columns.toSorted((a, b) => placeOf(a) - placeOf(b)) };
  });
  return { ...catalog, tables };
}

/** The summaries of online work are those of the work itself. */
function stated(summary: string): string {
  return summary
    .replace(/^start index build /, 'create index ')
    .replace(/^replace column /, 'change column ')
    .replace(/^validate not-null (.*)$/, 'change column $1 to not-null')
    .replace(/^validate /, 'create ');
}
