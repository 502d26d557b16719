/** Combines the selectivities of several conditions. */

/**
 * Returns the share of rows that satisfy all conditions. Conditions on columns of one table are seldom independent, so each condition counts less than
 * the stricter ones. The strictest condition counts in full, the second by its square root, the third by its fourth root, and the fourth by its eighth
 * root. All others are ignored.
 */
export function allTogether(shares: readonly number[]): number {
  const sorted = [...shares].sort((a, b) => a - b).slice(0, conditionsMax);
  return sorted.reduce((all, share, i) => all * share ** (1 / 2 ** i), 1);
}

const conditionsMax = 4;
