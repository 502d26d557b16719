/** SHA-256 of a body. A table has 64 MiB, whose hash takes 40 ms: others get their turn meanwhile. */

import type { Scheduler } from '#base';

const sliceBytes = 1 << 20;

export async function bodyHash(body: Uint8Array, scheduler: Scheduler): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for (let at = 0; at < body.length; at += sliceBytes) {
    if (at > 0) await scheduler.yield();
    hasher.update(body.subarray(at, at + sliceBytes));
  }
  return hasher.digest('hex');
}
