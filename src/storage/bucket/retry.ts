/** Retries requests while a bucket is unavailable. A caller that gives up midway would have to reopen the store. */

import type { World } from '#base';
import { StorageError } from '../object/storage-fault.ts';
import { bucketLimits } from './limits.ts';

/** Repeats the request while it fails with `unavailable`, at most as often as `createOnce` would. */
export async function retryWhileUnavailable<T>(world: World, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const mayPass = error instanceof StorageError && error.fault.kind === 'unavailable';
      if (!mayPass || attempt >= bucketLimits.createAttemptsMax) throw error;
      await backoff(world, attempt);
    }
  }
}

/** Waits before a retry. The delay doubles with each failure up to a maximum, less a random part, so that writers do not retry in step. */
export function backoff({ random, scheduler }: World, failures: number): Promise<void> {
  const { retryMs, retryMsMax } = bucketLimits;
  const longest = Math.min(retryMsMax, retryMs * 2 ** Math.min(failures - 1, 20));
  const delayMs = longest * (0.5 + random.unit() / 2);
  return new Promise((resolve) => scheduler.after(delayMs, resolve));
}
