/** What a look at the storage under the database has found. */

import { StorageError, type Store, type TableDamage } from '#storage';

/** `unavailable` may pass. `broken`: the storage failed under the database, which must be opened again. `fenced` and `failed` never pass. */
export type StorageHealth =
  /** `damaged`: tables that cannot be read, or could not: everything else goes on. `threadsLost`: of merges, since the store was opened. */
  | { readonly kind: 'ok'; readonly damaged: readonly TableDamage[]; readonly threadsLost: number }
  /** `isWorker`: the worker of transitions has come to an end. */
  | {
      readonly kind: 'unavailable' | 'broken' | 'fenced' | 'failed';
      readonly error: unknown;
      readonly isWorker?: boolean;
    };

/** Asks the store, unless the worker of transitions has failed already; never rejects. */
export async function healthOf(
  store: Store,
  worker: { readonly failure: unknown },
): Promise<StorageHealth> {
  try {
    const { failure } = worker;
    if (failure !== undefined) return { kind: 'failed', error: failure, isWorker: true };
    const error = await store.observe();
    if (error === undefined) {
      const { damaged, compaction } = store.statistics();
      return { kind: 'ok', damaged, threadsLost: compaction.threadsLost };
    }
    return { kind: kindOf(error), error };
  } catch (error) {
    return { kind: 'unavailable', error };
  }
}

/** What a poisoned store means. */
function kindOf(error: Error): 'broken' | 'fenced' | 'failed' {
  if (!(error instanceof StorageError)) return 'failed';
  switch (error.trouble.kind) {
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
