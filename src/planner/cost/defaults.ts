/**
 * What the planner assumes where it knows nothing: documented defaults. Rows are per table, of which it knows better as a rule; a
 * selectivity is the share of rows that pass. Costs are in units of reading one row of a table in key order.
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

/** Measured at a million rows that are in memory (docs/performance.md): a row in key order takes some 0.1 µs. */
export const costs = {
  /** Finding the start of an interval. */
  seek: 40,
  tableRow: 1,
  /** An index entry and the row that it stands for. */
  indexRow: 40,
  /** An index entry alone. */
  indexEntry: 1.5,
  /** A row, or an entry of a unique index, by its whole key. */
  point: 15,
  /** Evaluating expressions on a row, or copying it on. */
  row: 0.2,
  hashBuildRow: 2,
  hashProbeRow: 1,
  /** Holding a row in memory for later runs. */
  heldRow: 1,
  /** Testing one pair of a loop join. */
  pair: 0.2,
  /** One run of a plan for one row of another. */
  run: 5,
} as const;

export function sortCost(rows: number): number {
  return rows * Math.log2(rows + 2) * 0.5;
}
