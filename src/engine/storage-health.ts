/** Checks the storage under the database. */

import { StorageError, type Store, type TableDamage } from '#storage';

/**
 * `unavailable` may pass. `broken` means that the storage failed under the database, which must be reopened. `fenced`
 * and `failed` are permanent.
 */
export type StorageHealth =
  /**
   * `damaged` contains tables that are or were unreadable. All other data are available. `threadsLost` is the number of
   * compaction threads lost since the store was opened.
   */
  | {
      readonly kind: 'ok';
      readonly damaged: readonly TableDamage[];
      readonly threadsLost: number;
      /** The reason why the directory of the store cannot be locked. */
      readonly lockUnavailable?: string | undefined;
    }
  /** `isWorker` means that the worker of transitions has ended. */
  | {
      readonly kind: 'unavailable' | 'broken' | 'fenced' | 'failed';
      readonly error: unknown;
      readonly isWorker?: boolean;
    };

/** Checks the store, unless the worker of transitions has failed. Never rejects. */
export async function healthOf(
  store: Store,
  worker: { readonly failure: unknown },
): Promise<StorageHealth> {
  try {
    const { failure } = worker;
    if (failure !== undefined) return { kind: 'failed', error: failure, isWorker: true };
    const error = await store.observe();
    if (error === undefined) {
      const { damaged, compaction, lockUnavailable } = store.statistics();
      return { kind: 'ok', damaged, threadsLost: compaction.threadsLost, lockUnavailable };
    }
    return { kind: kindOf(error), error };
  } catch (error) {
    return { kind: 'unavailable', error };
  }
}

/** Returns the kind of failure of a poisoned store. */
function kindOf(error: Error): 'broken' | 'fenced' | 'failed' {
  if (!(error instanceof StorageError)) return 'failed';
  switch (error.fault.kind) {
    case 'fenced':
      return 'fenced';
    case 'io':
    case 'full':
    case 'unavailable':
    case 'unauthorized':
    case 'bucket_missing':
      return 'broken';
    default:
      return 'failed';
  }
}
