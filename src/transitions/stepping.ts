/** What a step of a transition works with, and what it asks to be committed. */

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

/** What a step asks to be committed; undefined when there is nothing to do yet. */
export interface StepCommit {
  readonly record: TransitionRecord;
  readonly after?: Catalog;
}
