/** Several sources, or parts of one, as one. */

import type { RemoteBlocks } from './source.ts';

/** `share`: of all, so many were looked at, and stand for the others. Undefined where nothing is remote. */
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
