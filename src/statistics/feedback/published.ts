/** The feedback that planners read. Each publication creates a new snapshot. */

/** Measured row counts of the parts of a query, by part. */
export type Seen = Pick<ReadonlyMap<string, number>, 'get'>;

/** The interface through which planners read feedback. */
export interface PlanFeedback {
  /** Returns the number of the correction for plans of the family; 0 if there is none. */
  correctionOf(family: string): number;
  seenBy(family: string): Seen | undefined;
}

export interface Correction {
  readonly number: number;
  readonly seen: ReadonlyMap<string, number>;
}

/** Corrections by family. */
export type Corrections = ReadonlyMap<string, Correction>;
