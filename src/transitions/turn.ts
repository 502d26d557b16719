/** One turn of a job in the background, for whoever watches. */

/** `advanced`: there was work, and it is done. `failed`: it is tried again. Turns that found nothing to do are not told. */
export interface JobTurn {
  readonly kind: 'transition' | 'reclamation';
  /** The id of the transition, or `column` and the physical id of the column. */
  readonly job: string;
  /** By the steady clock. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly outcome: 'advanced' | 'failed';
  /** The error of a failed turn. */
  readonly error?: unknown;
}
