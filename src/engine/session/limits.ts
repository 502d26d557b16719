/** Limits of transactions that stay open between calls. */

export interface OpenTransactionLimits {
  /** Maximum time between two calls in milliseconds. 0 means no limit. */
  readonly idleMs: number;
  /** Maximum time from beginning to end in milliseconds. 0 means no limit. */
  readonly wholeMs: number;
  /** Maximum number of open transactions. */
  readonly openMax: number;
  /** Maximum number of marks of one transaction. */
  readonly marksMax: number;
}

export const openTransactionLimits: OpenTransactionLimits = {
  idleMs: 60_000,
  wholeMs: 300_000,
  openMax: 1_000,
  marksMax: 1_000,
};
