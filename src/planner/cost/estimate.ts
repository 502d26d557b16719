/** Estimated numbers with their sources. */

/**
 * The source of an estimate. `proven`: it follows from the query or the schema. `counted`: the store has counted it. `feedback`: an earlier execution has
 * measured it. `surveyed`: a table statistics job has measured it. `assumed`: it is a default of `defaults.ts`.
 */
export type EstimateSource = 'proven' | 'counted' | 'feedback' | 'surveyed' | 'assumed';

const byTrust: readonly EstimateSource[] = ['proven', 'counted', 'feedback', 'surveyed', 'assumed'];

/** Returns the least trusted source, which is the source of a number that combines several estimates. */
export function leastTrusted(...origins: readonly EstimateSource[]): EstimateSource {
  let least = 0;
  for (const origin of origins) least = Math.max(least, byTrust.indexOf(origin));
  return byTrust[least] as EstimateSource;
}

export interface RowEstimate {
  readonly rows: number;
  readonly origin: EstimateSource;
}

/** The share of rows that pass a condition, from 0 to 1. */
export interface Selectivity {
  readonly share: number;
  readonly origin: EstimateSource;
}
