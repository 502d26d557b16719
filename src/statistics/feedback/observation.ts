/** The measured row count of one part of a plan, compared with its estimate. */

export interface Observation {
  /** The relation of the query to which the part belongs. The relation does not depend on the plan. */
  readonly part: string;
  readonly estimated: number;
  readonly actual: number;
  /** An operator above might not have read all rows, so a count below the estimate proves nothing. */
  readonly isCut: boolean;
}

/** Returns whether the observation has no information about the estimate: the part was cut short before it delivered the estimated number of rows. */
export function saysNothing({ isCut, actual, estimated }: Observation): boolean {
  return isCut && actual < estimated;
}

/** Returns the factor by which the estimate was too large or too small; 1 if the observation has no information. */
export function errorOf(observation: Observation): number {
  if (saysNothing(observation)) return 1;
  const { estimated, actual } = observation;
  const [a, b] = [Math.max(1, estimated), Math.max(1, actual)];
  return Math.max(a, b) / Math.min(a, b);
}

export function worstErrorOf(observations: readonly Observation[]): number {
  return observations.reduce((worst, it) => Math.max(worst, errorOf(it)), 1);
}
