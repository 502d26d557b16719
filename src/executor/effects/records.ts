/** Writes records of work that continues after the commit. They are committed together with the catalog that requires the work. */

import {
  encodeReclamation,
  encodeTransition,
  type Reclamation,
  reclamationKey,
  type TransitionRecord,
  transitionKey,
} from '#catalog';
import type { MutationContext } from '../mutate/mutation-context.ts';

export function recordTransition(mutationContext: MutationContext, record: TransitionRecord): void {
  mutationContext.put(transitionKey(record.id), encodeTransition(record));
}

export function reclaimColumn(mutationContext: MutationContext, reclamation: Reclamation): void {
  mutationContext.put(reclamationKey(reclamation.physicalId), encodeReclamation(reclamation));
}
