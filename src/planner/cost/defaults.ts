/**
 * What the planner assumes where it knows nothing: documented defaults. Rows are per table, of which it knows better as a rule; a
 * selectivity is the share of rows that pass. Costs are in units of reading one row of a table in key order, from a block.
 */

export const assumed = {
  /** Tables that are smaller count as so large too. */
  tableRows: 1_000,
  /** Rows of a binding or of an earlier statement's result. */
  resultRows: 100,
  frontierRows: 10,
  /** Equality on one column that is no whole unique key. */
  equal: 0.01,
  /** Rows of one value of a key in a large table. */
  rowsOfValue: 10,
  isNull: 0.05,
  /** An inequality as a filter. */
  range: 0.3,
  /**
   * An inequality on a key, one bound and two. Lower, because a wrong choice of the table costs far more than a wrong choice of the
   * index.
   */
  keyRange: 0.02,
  keyInterval: 0.01,
  /** Any other predicate. */
  other: 0.25,
  /** Different values of a column, per row of its table. */
  distinctInColumn: 0.1,
  /** Groups per input row, and distinct rows per row. */
  distinct: 0.2,
} as const;

/** As `npm run bench -- costs` has measured (docs/notes/2026-11-22-queries.md): a row that lies in a block, as columns, takes some 13 ns in key order. */
export const costs = {
  /** Finding the start of an interval. */
  seek: 200,
  tableRow: 1,
  /** A row that no merge has seen yet, and that is read out of memory alone. */
  freshRow: 7,
  /** An index entry and the row that it stands for, anywhere in the table. */
  indexRow: 100,
  /** An index entry alone. */
  indexEntry: 8,
  /** A row, or an entry of a unique index, by its whole key. */
  point: 120,
  /** Evaluating expressions on a row, or copying it on. */
  row: 0.4,
  hashBuildRow: 16,
  hashProbeRow: 3,
  /** Going past a row of either side of a merge. */
  mergeRow: 0.2,
  /** Testing one pair of a loop join. */
  pair: 0.7,
  /** One run of a plan for one row of another. */
  run: 27,
  /** Sorting a row, times the logarithm of how many there are. */
  sortRow: 1.9,
} as const;

/** So many rows may still be in memory, one by one: a small table as a whole. */
const freshRowsMax = 10_000;

/** Reading so many rows in key order. */
export function tableCost(rows: number): number {
  return rows * costs.tableRow + Math.min(rows, freshRowsMax) * (costs.freshRow - costs.tableRow);
}

/** Sorting rows of which the first `kept` are wanted: of many others it is seen at once that they are not among them. */
export function sortCost(rows: number, kept: number = rows): number {
  if (kept >= rows) return rows * Math.log2(rows + 2) * costs.sortRow;
  return rows * costs.row + kept * Math.log2(kept + 2) * costs.sortRow;
}
