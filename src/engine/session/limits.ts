/** Limits of transactions that stay open between calls. */

export interface OpenTransactionLimits {
  /** Time between two calls; 0: none. */
  readonly idleMs: number;
  /** Time from the beginning to the end; 0: none. */
  readonly wholeMs: number;
  /** Transactions that may be open at the same time. */
  readonly openMax: number;
  /** Marks of one transaction that may live at the same time. */
  readonly marksMax: number;
}

export const openTransactionLimits: OpenTransactionLimits = {
  idleMs: 60_000,
  wholeMs: 300_000,
  openMax: 1_000,
  marksMax: 1_000,
};
