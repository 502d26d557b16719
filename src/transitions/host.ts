/** What the workers need of the open database; the engine is one. */

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
  /** The newest committed catalog: that of a transaction which begins in the same turn of the event loop. */
  readonly catalog: Catalog;
  /**
   * Commits a transaction, with the records of another catalog when it moves the catalog. The outcome is a conflict when the catalog is not `before` any
   * more, or when `isCurrent` says so.
   */
  commit(
    transaction: Transaction,
    move: CatalogMove | undefined,
    isCurrent?: () => boolean,
  ): Promise<CommitOutcome>;
}
