/** Gives up what stands under a dropped physical id: as whole ranges, so that it costs the same whatever they hold. */

import { rangesOfPhysicalId } from '#catalog';
import type { Writing } from '../mutate/writing.ts';

export function dropRange(writing: Writing, physicalId: number): void {
  for (const range of rangesOfPhysicalId(physicalId)) writing.transaction.dropRange(range);
}
