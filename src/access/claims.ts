/** Claims and limits of a principal. Row policies compare claims with rows. */

export type Claims = Readonly<Record<string, string | number | boolean>>;

/** Limits of one principal. An absent limit is that of the server. */
export interface PrincipalLimits {
  /** Requests per second. */
  readonly rate?: number;
  /** Programs at the same time. */
  readonly concurrency?: number;
  readonly deadlineMs?: number;
  readonly memoryMib?: number;
}
