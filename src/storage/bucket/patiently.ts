/** Waiting for a bucket that does not answer: whoever gives up in the middle has to open the store again. */

import type { World } from '#base';
import { StorageError } from '../object/trouble.ts';
import { bucketLimits } from './limits.ts';

/** Asks again while the answer is `unavailable`, as long as a creation would be sent again. */
export async function patiently<T>(world: World, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const mayPass = error instanceof StorageError && error.trouble.kind === 'unavailable';
      if (!mayPass || attempt >= bucketLimits.createAttemptsMax) throw error;
      await pauseAfter(world, attempt);
    }
  }
}

/** Twice as long each time, less a random part, so that writers do not go in step. */
export function pauseAfter({ random, scheduler }: World, failures: number): Promise<void> {
  const { retryMs, retryMsMax } = bucketLimits;
  const longest = Math.min(retryMsMax, retryMs * 2 ** Math.min(failures - 1, 20));
  const delayMs = longest * (0.5 + random.unit() / 2);
  return new Promise((resolve) => scheduler.after(delayMs, resolve));
}
