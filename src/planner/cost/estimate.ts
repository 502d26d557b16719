/** Where estimated numbers come from. */

/**
 * `proven`: it cannot be otherwise. `counted`: the store has counted it. `feedback`: as it was when the program ran. `surveyed`: from what a survey
 * has read. `assumed`: from `defaults.ts`.
 */
export type Origin = 'proven' | 'counted' | 'feedback' | 'surveyed' | 'assumed';

const byTrust: readonly Origin[] = ['proven', 'counted', 'feedback', 'surveyed', 'assumed'];

/** Of a number that is made of several. */
export function leastTrusted(...origins: readonly Origin[]): Origin {
  let least = 0;
  for (const origin of origins) least = Math.max(least, byTrust.indexOf(origin));
  return byTrust[least] as Origin;
}

export interface Rows {
  readonly rows: number;
  readonly origin: Origin;
}

/** A part of rows, from 0 to 1. */
export interface Share {
  readonly share: number;
  readonly origin: Origin;
}
