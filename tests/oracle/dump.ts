/** What the tables hold, as texts to compare. */

import type { Database } from './database.ts';
import { formatted } from './node.ts';
import { encode, RowValue, type Value } from './value.ts';

/** The texts of the rows of every table, by table name, in no order. */
export function tableTexts(database: Database): ReadonlyMap<string, readonly string[]> {
  return new Map(
    database.tables.map((table) => {
      const names = table.columns.map((column) => column.name);
      const shown = (row: readonly Value[]) =>
        row.map((value, i) => formatted(value, table.columns[i]?.format));
      return [table.name, table.rows.map((row) => encode(new RowValue(names, shown(row))))];
    }),
  );
}
