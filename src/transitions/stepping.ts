/** The context of a step of a transition, and its result. */

import type { Catalog, LiveTransition, TransitionRecord } from '#catalog';
import type { Transaction } from '#storage';
import type { TransitionHost } from './host.ts';

export interface Stepping extends LiveTransition {
  readonly host: TransitionHost;
  readonly transaction: Transaction;
  /** The catalog that belongs to the transaction. */
  readonly catalog: Catalog;
  readonly record: TransitionRecord;
}

/** The changes that a step commits. */
export interface StepCommit {
  readonly record: TransitionRecord;
  readonly after?: Catalog;
}
