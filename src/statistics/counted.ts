/** Estimates of the rows of a table or of a key range, from the entry counts of the store. */

import { encodeInterval, indexLayout, tableLayout } from '#layout';
import type { KeyRange } from '#storage';
import type { Statistics } from './statistics.ts';

export interface EntryCounts {
  /** Returns the approximate number of entries in the range. */
  entriesIn(range: KeyRange): number;
}

export function tablesCounted(entries: EntryCounts): Pick<Statistics, 'rowsOf' | 'rowsWithin'> {
  return {
    rowsOf: (table) => entries.entriesIn(tableLayout(table).range),
    rowsWithin: (table, index, { prefix, lower, upper }) => {
      const layout = index === undefined ? tableLayout(table) : indexLayout(table, index);
      const range = encodeInterval(layout, prefix, lower, upper);
      return range === undefined ? 0 : entries.entriesIn(range);
    },
  };
}
