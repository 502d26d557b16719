/** What planners are told of executions: another snapshot each time that something is published. */

/** Rows that parts of a query have had, by part. */
export type Seen = Pick<ReadonlyMap<string, number>, 'get'>;

/** What planners ask. */
export interface Experience {
  /** Number of the correction that plans of the family are made with; 0: none. */
  correctionOf(family: string): number;
  seenBy(family: string): Seen | undefined;
}

export interface Correction {
  readonly number: number;
  readonly seen: ReadonlyMap<string, number>;
}

/** By family. */
export type Corrections = ReadonlyMap<string, Correction>;
