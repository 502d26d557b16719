/** Fails a transition that cannot continue. */

import { endAs } from './end.ts';
import type { TransitionHost } from './host.ts';
import { inTransaction, type StepOutcome } from './step.ts';

export function failTransition(
  host: TransitionHost,
  id: number,
  lastError: string,
): Promise<StepOutcome> {
  return inTransaction(host, id, async (stepping) => endAs(stepping, 'failed', lastError));
}
