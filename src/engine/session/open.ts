/** An open transaction, as its calls use it. */

import type { World } from '#base';
import type { Catalog } from '#catalog';
import type { Snapshot, Transaction } from '#storage';
import type { Basis } from './basis.ts';
import type { Draft } from './draft.ts';
import type { SessionParts } from './parts.ts';
import type { ReplayLog } from './replay-log.ts';

/** The state that an open transaction reads, and its writes. */
export interface TransactionState {
  readonly view: Snapshot | Transaction;
  /** The storage transaction that receives writes; `undefined` in a read-only transaction. */
  readonly transaction: Transaction | undefined;
  /** The catalog of the state. */
  readonly base: Catalog;
  /** The clock and the random numbers of the statements. */
  readonly world: World;
}

/** The parts of an open transaction that its calls use. */
export interface Open {
  readonly parts: SessionParts;
  readonly isReadOnly: boolean;
  readonly basis: Basis;
  readonly catalog: Catalog;
  /** The state after the previous statement; `undefined` before the first statement. */
  readonly held: TransactionState | undefined;
  draft: Draft;
  readonly replayLog: ReplayLog;
  hold(): TransactionState;
  /** Releases the state and takes the newest one, without the writes. */
  renew(): TransactionState;
  account(): void;
}
