/** A report on one turn of a background job. */

/** `advanced`: the job has completed work. `failed`: the job will be retried. Turns without work are not reported. */
export interface JobTurn {
  readonly kind: 'transition' | 'reclamation';
  /** The id of the transition, or `column` and the physical id of the column. */
  readonly job: string;
  /** Start of the turn, by the monotonic clock. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly outcome: 'advanced' | 'failed';
  /** The error of a failed turn. */
  readonly error?: unknown;
}
