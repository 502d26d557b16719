/** Adds up the remote blocks of several sources, or of several parts of one source. */

import type { RemoteBlocks } from './source.ts';

/** Returns the sum; `undefined` if nothing is remote. `share` is the sampled share of all parts, by which the sum is scaled up. */
export function sumRemote(
  all: readonly (RemoteBlocks | undefined)[],
  share = 1,
): RemoteBlocks | undefined {
  let pieces = 0;
  let cold = 0;
  let scanWaits = 0;
  for (const each of all) {
    pieces += (each?.pieces ?? 0) / share;
    cold += (each?.cold ?? 0) / share;
    scanWaits += (each?.scanWaits ?? 0) / share;
  }
  return pieces === 0 ? undefined : { pieces, cold, scanWaits };
}
