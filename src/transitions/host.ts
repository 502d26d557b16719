/** The parts of the open database that the workers need; the engine implements them. */

import type { World } from '#base';
import type { Catalog } from '#catalog';
import type { CommitOutcome, Store, Transaction } from '#storage';

export interface CatalogMove {
  readonly before: Catalog;
  readonly after: Catalog;
}

export interface TransitionHost {
  readonly store: Store;
  readonly world: World;
  /** The newest committed catalog. A transaction that begins in the same iteration of the event loop has the same catalog. */
  readonly catalog: Catalog;
  /**
   * Commits a transaction, together with the records of another catalog if it changes the catalog. The outcome is a conflict if the catalog is no
   * longer `before`, or if `isCurrent` returns false.
   */
  commit(
    transaction: Transaction,
    move: CatalogMove | undefined,
    isCurrent?: () => boolean,
  ): Promise<CommitOutcome>;
}
