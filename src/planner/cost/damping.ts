/** Several conditions at once. */

/**
 * The share of rows that all of these conditions keep. Conditions on columns of one table are seldom independent, so each counts less than the one before,
 * from the strictest on: the second by its square root, the third by its fourth root, the fourth by its eighth; the others not at all.
 */
export function allTogether(shares: readonly number[]): number {
  const sorted = [...shares].sort((a, b) => a - b).slice(0, conditionsMax);
  return sorted.reduce((all, share, i) => all * share ** (1 / 2 ** i), 1);
}

const conditionsMax = 4;
