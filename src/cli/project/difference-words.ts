/** Describes the difference between two schemas in words for people. The description is not a migration: nothing is started or validated. */

import { type Catalog, tableById } from '#catalog';
import { planMigration } from '#schema';

interface DifferenceWords {
  readonly changes: readonly string[];
  /** Changes that no migration can make in one step. */
  readonly rejections: readonly string[];
}

export function differenceWords(from: Catalog, to: Catalog): DifferenceWords {
  const { changes, difference } = planMigration(from, arranged(to, from), () => false);
  return {
    changes: changes.map(({ summary }) => stated(summary)),
    rejections: difference.rejections,
  };
}

/** Orders columns as in the other schema, with new ones last. The order in a file is not a reported difference. */
function arranged(catalog: Catalog, like: Catalog): Catalog {
  const tables = catalog.tables.map((table) => {
    const order = tableById(like, table.id)?.columns.map(({ id }) => id) ?? [];
    const placeOf = ({ id }: { readonly id: number }) =>
      order.includes(id) ? order.indexOf(id) : order.length;
    return { ...table, columns: table.columns.toSorted((a, b) => placeOf(a) - placeOf(b)) };
  });
  return { ...catalog, tables };
}

/** Rewords the summaries of transitions, which describe the online work, as changes of the schema. */
function stated(summary: string): string {
  return summary
    .replace(/^start index build /, 'create index ')
    .replace(/^replace column /, 'change column ')
    .replace(/^validate not-null (.*)$/, 'change column $1 to not-null')
    .replace(/^validate /, 'create ');
}
