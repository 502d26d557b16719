/**
 * The documented defaults of the planner, used if statistics are missing. Row counts are per table; the planner normally knows the actual number. A
 * selectivity is the share of rows that pass a predicate. The cost unit is one table row read in key order from a block.
 */

export const assumed = {
  /** Minimum: a smaller table counts as having this many rows. */
  tableRows: 1_000,
  /** Rows of a binding or of an earlier statement's result. */
  resultRows: 100,
  frontierRows: 10,
  /** Equality on one column that is not a whole unique key. */
  equal: 0.01,
  /** Rows for one value of a key in a large table. */
  rowsOfValue: 10,
  isNull: 0.05,
  /** An inequality that is tested as a filter. */
  range: 0.3,
  /**
   * An inequality on a key, with one bound and with two bounds. These values are lower than `range`, because reading the whole table by mistake costs far
   * more than using the index by mistake.
   */
  keyRange: 0.02,
  keyInterval: 0.01,
  /** Any other predicate. */
  other: 0.25,
  /** Distinct values of a column, per row of its table. */
  distinctInColumn: 0.1,
  /** Groups per input row, and rows that a distinct keeps per input row. */
  distinct: 0.2,
} as const;

/** Costs as measured by `npm run bench -- costs` (docs/notes/2026-11-22-queries.md). Reading one row of a block that is stored as columns takes about 13 ns in key order. */
export const costs = {
  /** Finding the start of an interval. */
  seek: 200,
  tableRow: 1,
  /** A row that no compaction has processed yet, read from memory. */
  freshRow: 7,
  /** An index entry and its row, which can be anywhere in the table. */
  indexRow: 100,
  /** An index entry alone. */
  indexEntry: 8,
  /** A lookup of a row, or of an entry of a unique index, by its whole key. */
  point: 120,
  /** Evaluating expressions on a row, or copying it. */
  row: 0.4,
  hashBuildRow: 16,
  hashProbeRow: 3,
  /** Advancing past a row of either side of a merge join. */
  mergeRow: 0.2,
  /** Testing one pair of a nested-loop join. */
  pair: 0.7,
  /** One run of a subplan for one outer row. */
  run: 27,
  /** Sorting a row, multiplied by the logarithm of the number of rows. */
  sortRow: 1.9,
} as const;

/** The estimate assumes that at most this many rows of a table are still fresh in memory. A smaller table is assumed to be entirely fresh. */
const freshRowsMax = 10_000;

/** Returns the cost of reading `rows` rows in key order. */
export function tableCost(rows: number): number {
  return rows * costs.tableRow + Math.min(rows, freshRowsMax) * (costs.freshRow - costs.tableRow);
}

/** Returns the cost of a sort of which the consumer takes the first `kept` rows. All other rows are discarded after one comparison, so they are cheap. */
export function sortCost(rows: number, kept: number = rows): number {
  if (kept >= rows) return rows * Math.log2(rows + 2) * costs.sortRow;
  return rows * costs.row + kept * Math.log2(kept + 2) * costs.sortRow;
}
