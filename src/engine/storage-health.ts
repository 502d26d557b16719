/** What a look at the storage under the database has found. */

import { StorageError, type Store, type TableDamage } from '#storage';

/** `unavailable` may pass. `broken`: the storage failed under the database, which must be opened again. `fenced` and `failed` never pass. */
export type StorageHealth =
  /** `damaged`: tables that cannot be read, or could not: everything else goes on. */
  | { readonly kind: 'ok'; readonly damaged: readonly TableDamage[] }
  | { readonly kind: 'unavailable' | 'broken' | 'fenced' | 'failed'; readonly error: unknown };

/** Asks the store, unless the worker of transitions has failed already; never rejects. */
export async function healthOf(
  store: Store,
  worker: { readonly failure: unknown },
): Promise<StorageHealth> {
  try {
    const { failure } = worker;
    if (failure !== undefined) return { kind: 'failed', error: failure };
    const error = await store.observe();
    if (error === undefined) return { kind: 'ok', damaged: store.statistics().damaged };
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
