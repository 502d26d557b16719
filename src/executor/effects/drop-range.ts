/** Drops the data of a physical id as whole ranges, so that the cost does not depend on their size. */

import { rangesOfPhysicalId } from '#catalog';
import type { MutationContext } from '../mutate/mutation-context.ts';

export function dropRange(mutationContext: MutationContext, physicalId: number): void {
  for (const range of rangesOfPhysicalId(physicalId)) mutationContext.transaction.dropRange(range);
}
