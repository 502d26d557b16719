/** One part of a plan as it ran, against what was expected of it. */

export interface Observation {
  /** Which relation of the query it is, whatever the plan. */
  readonly part: string;
  readonly estimated: number;
  readonly actual: number;
  /** Something above it may not have wanted all of its rows, so fewer than estimated say nothing. */
  readonly isCut: boolean;
}

/** Nothing is known of it but that it has so many rows at least, which were expected. */
export function saysNothing({ isCut, actual, estimated }: Observation): boolean {
  return isCut && actual < estimated;
}

/** How many times too large or too small; 1 where nothing can be said. */
export function errorOf(observation: Observation): number {
  if (saysNothing(observation)) return 1;
  const { estimated, actual } = observation;
  const [a, b] = [Math.max(1, estimated), Math.max(1, actual)];
  return Math.max(a, b) / Math.min(a, b);
}

export function worstErrorOf(observations: readonly Observation[]): number {
  return observations.reduce((worst, it) => Math.max(worst, errorOf(it)), 1);
}
